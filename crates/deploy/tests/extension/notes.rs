//! An extension that keeps notes as files in the folder that its configuration names.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use deploy::provider::extension::wire::{
    Empty, ErrorData, ErrorDetail, OperationResponse, Prost, ResourceReference, ResourceSpecification,
    WireError, WireResource,
};
use futures_util::stream;
use serde_json::{Value as Json, json};
use tokio::net::UnixListener;
use tonic::body::Body;
use tonic::codegen::http::{Request as HttpRequest, Response as HttpResponse};
use tonic::server::Grpc;
use tonic::{Request, Response, Status};

/// Answers on a socket until the process ends.
pub fn serve(socket: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = UnixListener::bind(socket).unwrap();
        let incoming = stream::unfold(listener, |listener| async {
            let connection = listener.accept().await.map(|(connection, _)| connection);
            Some((connection, listener))
        });
        let service = tower::service_fn(answer);
        tonic::transport::Server::builder().serve_with_incoming(service, incoming).await.unwrap();
    });
}

async fn answer(request: HttpRequest<Body>) -> Result<HttpResponse<Body>, Infallible> {
    let method = request.uri().path().rsplit('/').next().unwrap().to_owned();
    Ok(match method.as_str() {
        "Ping" => {
            let service =
                tower::service_fn(|_: Request<Empty>| async { Ok::<_, Status>(Response::new(Empty {})) });
            Grpc::new(Prost::<Empty, Empty>(PhantomData)).unary(service, request).await
        }
        "CreateOrUpdate" => {
            let service = tower::service_fn(|request: Request<ResourceSpecification>| async move {
                Ok::<_, Status>(Response::new(create(&request.into_inner())))
            });
            Grpc::new(Prost::<OperationResponse, ResourceSpecification>(PhantomData))
                .unary(service, request)
                .await
        }
        "Preview" => {
            let service = tower::service_fn(|request: Request<ResourceSpecification>| async move {
                preview(&request.into_inner()).map(Response::new)
            });
            Grpc::new(Prost::<OperationResponse, ResourceSpecification>(PhantomData))
                .unary(service, request)
                .await
        }
        _ => {
            let service = tower::service_fn(|request: Request<ResourceReference>| async move {
                Ok::<_, Status>(Response::new(get(&request.into_inner())))
            });
            Grpc::new(Prost::<OperationResponse, ResourceReference>(PhantomData))
                .unary(service, request)
                .await
        }
    })
}

/// What a note would be; notes of some types say nothing.
fn preview(specification: &ResourceSpecification) -> Result<OperationResponse, Status> {
    match specification.resource_type.as_str() {
        "Bad" => return Ok(refused("NoteRefused")),
        "Silent" => return Err(Status::unimplemented("no preview")),
        _ => {}
    }
    let properties: Json = serde_json::from_str(&specification.properties).unwrap();
    let name = properties["name"].as_str().unwrap().to_owned();
    Ok(made_of(&specification.resource_type, &name, &properties, None))
}

fn create(specification: &ResourceSpecification) -> OperationResponse {
    if specification.resource_type == "Bad" {
        return refused("NoteRefused");
    }
    if specification.resource_type == "Crash" {
        std::process::exit(1);
    }
    let folder = folder(specification.config.as_deref());
    let mut properties: Json = serde_json::from_str(&specification.properties).unwrap();
    let name = properties["name"].as_str().unwrap().to_owned();
    let text = properties["text"].as_str().unwrap_or_default().to_owned();
    properties["length"] = json!(text.len());
    std::fs::write(folder.join(format!("{name}.json")), properties.to_string()).unwrap();
    let count = folder.join(format!("{name}.count"));
    let made: u32 = std::fs::read_to_string(&count).map_or(0, |text| text.parse().unwrap());
    std::fs::write(count, (made + 1).to_string()).unwrap();
    let waiting = specification.resource_type == "Wait" && !folder.join("go").exists();
    let status = if waiting || properties["slow"] == true { Some("Running") } else { None };
    made_of(&specification.resource_type, &name, &properties, status)
}

fn get(reference: &ResourceReference) -> OperationResponse {
    let folder = folder(reference.config.as_deref());
    let identifiers: Json = serde_json::from_str(&reference.identifiers).unwrap();
    let name = identifiers["name"].as_str().unwrap().to_owned();
    let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.json"))) else {
        return refused("NoteNotFound");
    };
    let waiting = reference.resource_type == "Wait" && !folder.join("go").exists();
    let properties = serde_json::from_str(&text).unwrap();
    made_of(&reference.resource_type, &name, &properties, Some(if waiting { "Running" } else { "Succeeded" }))
}

fn made_of(resource_type: &str, name: &str, properties: &Json, status: Option<&str>) -> OperationResponse {
    let resource = WireResource {
        resource_type: resource_type.into(),
        api_version: None,
        identifiers: json!({ "name": name }).to_string(),
        properties: properties.to_string(),
        status: status.map(Into::into),
    };
    OperationResponse { resource: Some(resource), error_data: None }
}

fn refused(code: &str) -> OperationResponse {
    let detail = ErrorDetail { code: "Bad".into(), target: None, message: "Bad notes are refused.".into() };
    let error = WireError {
        code: code.into(),
        target: Some("/properties/name".into()),
        message: "The note cannot be made.".into(),
        details: vec![detail],
        inner_error: None,
    };
    OperationResponse { resource: None, error_data: Some(ErrorData { error: Some(error) }) }
}

fn folder(config: Option<&str>) -> PathBuf {
    let config: Json = serde_json::from_str(config.unwrap()).unwrap();
    Path::new(config["folder"].as_str().unwrap()).to_owned()
}

//! The gRPC protocol of local extensions: messages, and calls over a channel. Written by hand after the service
//! `extension.BicepExtension`, so that nothing has to be generated. Documents travel as texts that hold JSON.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Request, Status};

/// A resource that is asked for.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpecification {
    /// The configuration of the extension.
    #[prost(string, optional, tag = "1")]
    pub config: Option<String>,
    /// The type.
    #[prost(string, tag = "2")]
    pub resource_type: String,
    /// The version of the type.
    #[prost(string, optional, tag = "3")]
    pub api_version: Option<String>,
    /// What it should be.
    #[prost(string, tag = "4")]
    pub properties: String,
}

/// Which resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceReference {
    /// What identifies it.
    #[prost(string, tag = "1")]
    pub identifiers: String,
    /// The configuration of the extension.
    #[prost(string, optional, tag = "2")]
    pub config: Option<String>,
    /// The type.
    #[prost(string, tag = "3")]
    pub resource_type: String,
    /// The version of the type.
    #[prost(string, optional, tag = "4")]
    pub api_version: Option<String>,
}

/// What became of it: exactly one of the two.
#[derive(Clone, PartialEq, Message)]
pub struct OperationResponse {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<WireResource>,
    /// What went wrong.
    #[prost(message, optional, tag = "2")]
    pub error_data: Option<ErrorData>,
}

/// A resource as the extension tells it.
#[derive(Clone, PartialEq, Message)]
pub struct WireResource {
    /// The type.
    #[prost(string, tag = "1")]
    pub resource_type: String,
    /// The version of the type.
    #[prost(string, optional, tag = "2")]
    pub api_version: Option<String>,
    /// What identifies it.
    #[prost(string, tag = "3")]
    pub identifiers: String,
    /// What it is.
    #[prost(string, tag = "4")]
    pub properties: String,
    /// How far it is; nothing says that it is done.
    #[prost(string, optional, tag = "5")]
    pub status: Option<String>,
}

/// An envelope around an error.
#[derive(Clone, PartialEq, Message)]
pub struct ErrorData {
    #[prost(message, optional, tag = "1")]
    pub error: Option<WireError>,
}

/// What went wrong.
#[derive(Clone, PartialEq, Message)]
pub struct WireError {
    #[prost(string, tag = "1")]
    pub code: String,
    /// A JSON pointer to the property.
    #[prost(string, optional, tag = "2")]
    pub target: Option<String>,
    /// A sentence.
    #[prost(string, tag = "3")]
    pub message: String,
    /// The errors behind it.
    #[prost(message, repeated, tag = "4")]
    pub details: Vec<ErrorDetail>,
    /// Whatever else is known.
    #[prost(string, optional, tag = "5")]
    pub inner_error: Option<String>,
}

/// An error behind another.
#[derive(Clone, PartialEq, Message)]
pub struct ErrorDetail {
    #[prost(string, tag = "1")]
    pub code: String,
    /// A JSON pointer to the property.
    #[prost(string, optional, tag = "2")]
    pub target: Option<String>,
    /// A sentence.
    #[prost(string, tag = "3")]
    pub message: String,
}

/// Nothing.
#[derive(Clone, PartialEq, Message)]
pub struct Empty {}

/// A method of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    CreateOrUpdate,
    Preview,
    Get,
    Delete,
    Ping,
}

impl Method {
    const fn path(self) -> &'static str {
        match self {
            Self::CreateOrUpdate => "/extension.BicepExtension/CreateOrUpdate",
            Self::Preview => "/extension.BicepExtension/Preview",
            Self::Get => "/extension.BicepExtension/Get",
            Self::Delete => "/extension.BicepExtension/Delete",
            Self::Ping => "/extension.BicepExtension/Ping",
        }
    }
}

/// Calls a method and waits for its answer.
pub(super) async fn call<I, O>(channel: &Channel, method: Method, message: I) -> Result<O, Status>
where
    I: Message + Send + 'static,
    O: Message + Default + Send + 'static,
{
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = Prost::<I, O>(PhantomData);
    let path = PathAndQuery::from_static(method.path());
    Ok(client.unary(Request::new(message), path, codec).await?.into_inner())
}

/// Messages of one type out, of another in.
pub struct Prost<I, O>(pub PhantomData<(I, O)>);

impl<I: Message + Send + 'static, O: Message + Default + Send + 'static> Codec for Prost<I, O> {
    type Encode = I;
    type Decode = O;
    type Encoder = MessageEncoder<I>;
    type Decoder = MessageDecoder<O>;

    fn encoder(&mut self) -> MessageEncoder<I> {
        MessageEncoder(PhantomData)
    }

    fn decoder(&mut self) -> MessageDecoder<O> {
        MessageDecoder(PhantomData)
    }
}

/// Writes messages.
pub struct MessageEncoder<I>(PhantomData<I>);

impl<I: Message> Encoder for MessageEncoder<I> {
    type Item = I;
    type Error = Status;

    fn encode(&mut self, message: I, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(into).map_err(|error| Status::internal(error.to_string()))
    }
}

/// Reads messages.
pub struct MessageDecoder<O>(PhantomData<O>);

impl<O: Message + Default> Decoder for MessageDecoder<O> {
    type Item = O;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<O>, Status> {
        O::decode(from).map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}

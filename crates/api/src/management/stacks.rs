//! Deployment stacks.

use axum::http::{Method, StatusCode};
use deploy::{Engine, Scope, UnmanageAction};

use crate::reply::{Answer, Content, Reply};
use crate::route::StackPart;
use crate::shell::Call;
use crate::{body, errors};

/// A stack, or a part of it.
pub(super) struct Stack<'r> {
    pub(super) scope: &'r Scope,
    pub(super) name: &'r str,
    pub(super) part: StackPart,
}

/// Answers a request for a stack.
pub(super) async fn answer(
    engine: &Engine,
    Stack { scope, name, part }: Stack<'_>,
    call: &Call<'_>,
) -> Answer {
    match part {
        StackPart::Whole => whole(engine, scope, name, call).await,
        StackPart::Validate => {
            let body = body::reading(call.text, body::object).await?;
            engine.validate_stack(scope, name, &body).await.map(Reply::ok)
        }
        StackPart::ExportTemplate => engine.export_stack(scope, name).await.map(Reply::ok),
    }
}

async fn whole(engine: &Engine, scope: &Scope, name: &str, call: &Call<'_>) -> Answer {
    match *call.method {
        Method::GET => engine.get_stack(scope, name).await.map(Reply::ok),
        Method::HEAD => match engine.get_stack(scope, name).await {
            Ok(_) => Ok(Reply::nothing()),
            Err(error) if error.status == 404 => Ok(Reply::new(StatusCode::NOT_FOUND, Content::Nothing)),
            Err(error) => Err(error),
        },
        Method::PUT => {
            let body = body::reading(call.text, body::object).await?;
            let (stack, is_new) = engine.put_stack(scope, name, &body).await?;
            let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
            Ok(Reply::new(status, Content::Json(stack)))
        }
        Method::DELETE => {
            let is_delete =
                |what: &str| call.query.get(what).is_some_and(|action| action.eq_ignore_ascii_case("delete"));
            let action = UnmanageAction {
                delete_resources: is_delete("unmanageAction.Resources"),
                delete_groups: is_delete("unmanageAction.ResourceGroups"),
            };
            match engine.delete_stack(scope, name, action).await? {
                true => Ok(Reply::new(StatusCode::OK, Content::Nothing)),
                false => Ok(Reply::nothing()),
            }
        }
        _ => Err(errors::method_not_allowed(call.method.as_str())),
    }
}

//! Identifiers that are the same for the same arguments.

use uuid::Uuid;

use super::{Function, MANY, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::hash;
use crate::value::Value;

pub(super) const TABLE: &[Function] =
    &[whole("guid", 1, MANY, guid), whole("uniqueString", 1, MANY, unique_string)];

/// A version 5 UUID of the arguments in a namespace of the service's own.
fn guid(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    const NAMESPACE: Uuid = Uuid::from_u128(0x11fb06fb_712d_4ddd_98c7_e71bbd588830);
    call.text(Uuid::new_v5(&NAMESPACE, joined(call, args)?.as_bytes()).hyphenated().to_string())
}

/// 13 letters and digits that stand for a 64-bit hash of the arguments.
fn unique_string(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    call.text(hash::unique_string(&joined(call, args)?))
}

fn joined(call: &Invocation<'_>, args: &[Value]) -> Result<String, Error> {
    let parts = (0..args.len()).map(|index| call.string(args, index)).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn published_values() {
        check_all(&[
            ("uniqueString('snap', 'crackle', 'pop')", "\"byghxckddilkc\""),
            (
                "uniqueString('/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg')",
                "\"js26ofeqkqeve\"",
            ),
            (
                "uniqueString('/subscriptions/11068ed9-6c31-4a47-8183-4eca6d84bb32/resourceGroups/myRg')",
                "\"pwt7yebfrftwu\"",
            ),
            (
                "uniqueString('/subscriptions/1ec1dd71-d88e-465d-95e2-4996c828833a/resourceGroups/myRg')",
                "\"jztimcr36svny\"",
            ),
            ("uniqueString('test')", "\"rbgf3xv4ufgzg\""),
            ("uniqueString('abc')", "\"cgtzqvhu4i23s\""),
            ("uniqueString('hello', 'world')", "\"a7wkljktk6wne\""),
            ("uniqueString('foo', 'bar', 'baz')", "\"xzi4ioaxtmth4\""),
            ("guid('foo', 'bar', 'baz')", "\"2ed86837-7c7c-5eaa-9864-dd077fd19b0d\""),
            ("uniqueString(1)", "\"!argument-type\""),
            ("guid()", "\"!argument-count\""),
        ]);
    }
}

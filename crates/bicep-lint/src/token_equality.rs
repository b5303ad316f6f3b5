//! Whether two pieces of text say the same, white space and comments aside.

use bicep_syntax::Node;

/// Whether two nodes have the same tokens.
pub fn equal_tokens(a: Node<'_>, b: Node<'_>) -> bool {
    a.kind() == b.kind() && tokens(a).eq(tokens(b))
}

fn tokens(node: Node<'_>) -> impl Iterator<Item = &str> {
    let last = node.last_token();
    let mut next = node.first_token();
    std::iter::from_fn(move || {
        let token = next?;
        next = if Some(token) == last { None } else { token.next() };
        Some(token.text())
    })
}

//! `copy` → `[for …]`. What is repeated and how often come in; a loop over `range` goes out, in which `copyIndex` is the loop's
//! variable. Loops over the items of an array are found afterwards (`rewrite::loops`).

use arm::expression::{Expr, ExprKind};
use json::{Kind, Node};

use crate::failure::{Failure, Result};
use crate::messages;
use crate::names::Scope;
use crate::strings;
use crate::syntax::Syntax;
use crate::template::Converter;
use crate::tree;

/// The index of a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopIndex<'a> {
    /// The variable in Bicep.
    pub(crate) variable: &'a str,
    /// The name with which `copyIndex` means it.
    pub(crate) name: &'a str,
}

/// The name of loops that have none, in which every `copyIndex` is theirs.
pub(crate) const UNNAMED: &str = "__BICEP_REPLACE";

impl Converter<'_> {
    /// A loop around what `body` makes of the input.
    pub(crate) fn repeat(
        &mut self,
        input: &Node,
        count: &Node,
        index: LoopIndex<'_>,
        body: impl FnOnce(&mut Self, &Node) -> Result<Syntax>,
    ) -> Result<Syntax> {
        self.names.enter(Scope { variables: vec![index.variable.to_owned()], parameters: Vec::new() });
        let made = self.repeated(input, count, index, body);
        self.names.leave();
        made
    }

    fn repeated(
        &mut self,
        input: &Node,
        count: &Node,
        index: LoopIndex<'_>,
        body: impl FnOnce(&mut Self, &Node) -> Result<Syntax>,
    ) -> Result<Syntax> {
        let mut input = input.clone();
        tree::rewrite(&mut input, &self.expressions, &mut |expr| {
            Ok(self.simplified_range(with_variable(expr, index)))
        })?;
        let count = match count.as_str().filter(|text| strings::is_expression(text)) {
            Some(text) => {
                let count = self.simplified_range(self.expressions.parse(text)?);
                self.expression(&count)?.print()
            }
            None => self.value(count)?.print(),
        };
        if index.variable == "i" {
            self.loop_count = Some(count.clone());
        }
        let body = body(self, &input)?;
        let mut text = format!("[for {} in range(0,{count}):", index.variable);
        body.write(&mut text);
        text.push(']');
        Ok(Syntax::Loop(text))
    }

    /// The body of a resource or module, in a loop if it has one; the loop's decorators.
    pub(crate) fn resource_loop(
        &mut self,
        resource: &Node,
        body: impl FnOnce(&mut Self, &Node) -> Result<Syntax>,
    ) -> Result<(Syntax, String)> {
        let copy = tree::find(resource, "copy").map(|member| &member.value);
        let Some(copy) = copy.filter(|copy| copy.as_object().is_some()) else {
            return Ok((body(self, resource)?, String::new()));
        };
        let name = tree::to_text(tree::required(copy, "name", messages::copy_lacks("name"))?);
        let count = tree::required(copy, "count", messages::copy_lacks("count"))?;
        let made = self.repeat(resource, count, LoopIndex { variable: "i", name: &name }, body)?;
        let mut decorators = String::new();
        if is_serial(tree::find(copy, "mode").map(|it| &it.value), resource)? {
            decorators = match tree::find(copy, "batchSize").map(|it| &it.value) {
                None => "@batchSize(1)\n".to_owned(),
                Some(size) => match size.as_i64() {
                    Some(size) => format!("@batchSize({size})\n"),
                    None if self.options.is_exact => return Err(Failure::at(resource, messages::BATCH_SIZE)),
                    // One at a time is right for every size.
                    None => format!("{}@batchSize(1)\n", messages::batch_size_to_check(&tree::to_text(size))),
                },
            };
        }
        Ok((made, decorators))
    }
}

/// The loop's variable in the place of `copyIndex('name')` and `copyIndex('name', 1)`. Without a name, too: an inner loop may mean
/// this index without naming it.
fn with_variable(expr: Expr, index: LoopIndex<'_>) -> Expr {
    let is_name = |arg: &Expr| matches!(arg.kind(), ExprKind::String(text) if **text == *index.name);
    let is_offset = |arg: &Expr| !matches!(arg.kind(), ExprKind::String(_));
    let Some((args, path)) = strings::path_of(&expr, "copyIndex") else { return expr };
    let offset = match args {
        [] => None,
        [name] if is_name(name) => None,
        [offset] if is_offset(offset) => Some(offset),
        [name, offset] if is_name(name) => Some(offset),
        _ => return expr,
    };
    let variable = Expr::call("variables", vec![Expr::string(index.variable)]);
    let replaced = match offset {
        None => variable,
        Some(offset) => Expr::call("add", vec![variable, offset.clone()]),
    };
    strings::with_path(replaced, path)
}

fn is_serial(mode: Option<&Node>, resource: &Node) -> Result<bool> {
    let Some(mode) = mode else { return Ok(false) };
    let Kind::String(mode) = &mode.value else { return Err(Failure::at(resource, messages::MODE_TYPE)) };
    match mode.to_lowercase().as_str() {
        "serial" => Ok(true),
        "parallel" => Ok(false),
        _ => Err(Failure::at(resource, messages::copy_mode(mode))),
    }
}

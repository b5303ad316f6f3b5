//! Standard decorators and `accessor` fields, which the engine does not know: JavaScript comes in, JavaScript without
//! them goes out.
//!
//! A class is rewritten in place, and no line moves. Names of decorated elements become computed names that call the
//! helper `helpers/decorators.js`, so that decorators and names are evaluated in the order of the text; the first static
//! block calls the decorators. A class is taken when no class inside of it needs this; the text is then parsed again for
//! those around it.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    AccessorProperty, Class, ClassElement, Decorator, Expression, MethodDefinition, MethodDefinitionKind,
    PropertyDefinition, PropertyKey,
};
use oxc_parser::Parser;
use oxc_semantic::{AstNodes, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};

use super::DECORATORS;
use super::edits::Edits;
use crate::format::json::string_literal;
use crate::messages;

/// How deeply classes that need this may nest.
const MAX_PASSES: usize = 32;

/// A text without decorators and accessors, and the way back to what it was made of.
pub(super) struct Lowered {
    pub(super) text: String,
    passes: Vec<Edits>,
}

impl Lowered {
    /// Whether there was anything to rewrite.
    pub(super) fn is_changed(&self) -> bool {
        !self.passes.is_empty()
    }

    /// Where a byte was before.
    pub(super) fn original(&self, offset: usize) -> usize {
        self.passes.iter().rev().fold(offset, |offset, edits| edits.original(offset))
    }
}

/// Rewrites all classes that have decorators or accessors. `imports` says whether the text is an ES module.
pub(super) fn lower(text: String, imports: bool) -> Result<Lowered, String> {
    let mut lowered = Lowered { text, passes: Vec::new() };
    let mut prefix = "$sinew".to_owned();
    while lowered.text.contains(&prefix) {
        prefix.push('$');
    }
    let mut count = 0;
    for _ in 0..MAX_PASSES {
        let mut edits = pass(&lowered.text, &prefix, &mut count)?;
        if edits.is_empty() {
            return Ok(with_helper(lowered, &prefix, imports));
        }
        lowered.text = edits.apply(&lowered.text);
        lowered.passes.push(edits);
    }
    Err(messages::DECORATORS_NEST.to_owned())
}

/// Brings the helper in. Imports may stand at the end, where they move nothing.
fn with_helper(mut lowered: Lowered, prefix: &str, imports: bool) -> Lowered {
    if !lowered.text.contains(&format!("{prefix}.begin")) {
        return lowered;
    }
    if imports {
        lowered.text.push_str(&format!("\nimport * as {prefix} from '{DECORATORS}';\n"));
    } else {
        let mut edits = Edits::default();
        edits.insert(0, format!("const {prefix} = require('{DECORATORS}'); "));
        lowered.text = edits.apply(&lowered.text);
        lowered.passes.push(edits);
    }
    lowered
}

/// Rewrites the classes that have no other such class inside.
fn pass(text: &str, prefix: &str, count: &mut usize) -> Result<Edits, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    if let Some(error) = parsed.diagnostics.first() {
        return Err(error.message.to_string());
    }
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
    let classes: Vec<(&Class<'_>, ClassContext)> = semantic
        .nodes()
        .iter()
        .filter_map(|node| match node.kind() {
            AstKind::Class(class) if needs_lowering(class) => {
                Some((class, ClassContext::of(class, semantic.nodes())))
            }
            _ => None,
        })
        .collect();
    let mut edits = Edits::default();
    for (class, context) in &classes {
        let is_inside = |other: &Class<'_>| {
            let (outer, inner) = (whole(class), whole(other));
            outer != inner && outer.start <= inner.start && inner.end <= outer.end
        };
        if !classes.iter().any(|(other, _)| is_inside(other)) {
            let this = format!("{prefix}_{count}");
            *count += 1;
            ClassRewriter { text, class, context, helper: prefix, this, index: 0, edits: &mut edits }
                .rewrite();
        }
    }
    Ok(edits)
}

fn needs_lowering(class: &Class<'_>) -> bool {
    !class.decorators.is_empty()
        || class.body.body.iter().any(|element| {
            matches!(element, ClassElement::AccessorProperty(_)) || !decorators_of(element).is_empty()
        })
}

fn decorators_of<'e, 'a>(element: &'e ClassElement<'a>) -> &'e [Decorator<'a>] {
    match element {
        ClassElement::MethodDefinition(method) => &method.decorators,
        ClassElement::PropertyDefinition(field) => &field.decorators,
        ClassElement::AccessorProperty(accessor) => &accessor.decorators,
        ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => &[],
    }
}

/// A class with its decorators, which may stand before it.
fn whole(class: &Class<'_>) -> Span {
    let first = class.decorators.first().map_or(class.span.start, |decorator| decorator.span.start);
    Span::new(class.span.start.min(first), class.span.end)
}

/// Where a class stands.
struct ClassContext {
    /// The start of the statement, if the class is a declaration.
    statement: Option<u32>,
    /// Whether the statement is `export default`.
    is_default_export: bool,
    /// The name that the class gets from where it stands.
    given_name: String,
}

impl ClassContext {
    fn of(class: &Class<'_>, nodes: &AstNodes<'_>) -> Self {
        let parent = nodes.parent_kind(class.node_id.get());
        let is_default_export = matches!(parent, AstKind::ExportDefaultDeclaration(_));
        let statement = match parent {
            AstKind::ExportDefaultDeclaration(export) => Some(export.span.start),
            AstKind::ExportNamedDeclaration(export) => Some(export.span.start),
            _ if class.is_declaration() => Some(whole(class).start),
            _ => None,
        };
        let given_name = match parent {
            AstKind::VariableDeclarator(variable) => {
                variable.id.get_identifier_name().map(|name| name.to_string())
            }
            AstKind::ObjectProperty(property) if !property.computed => {
                property.key.static_name().map(|name| name.to_string())
            }
            _ if is_default_export => Some("default".to_owned()),
            _ => None,
        };
        Self { statement, is_default_export, given_name: given_name.unwrap_or_default() }
    }
}

/// Rewrites one class.
struct ClassRewriter<'t, 'c, 'a> {
    text: &'t str,
    class: &'c Class<'a>,
    context: &'c ClassContext,
    /// The name of the imported helper.
    helper: &'t str,
    /// The name of the variable with the state of this class.
    this: String,
    /// How many decorated elements there were so far.
    index: usize,
    edits: &'c mut Edits,
}

impl ClassRewriter<'_, '_, '_> {
    fn rewrite(&mut self) {
        let needs_state = self.needs_state();
        if needs_state {
            self.wrap();
            self.open_body();
        }
        for element in &self.class.body.body {
            match element {
                ClassElement::MethodDefinition(method) if !method.decorators.is_empty() => {
                    self.method(method);
                }
                ClassElement::PropertyDefinition(field) => self.field(field),
                ClassElement::AccessorProperty(accessor) => self.accessor(accessor),
                ClassElement::StaticBlock(block) if self.has_class_decorators() => {
                    let this = self.this.clone();
                    let body = block.span.start as usize + self.source(block.span).find('{').unwrap_or(0);
                    let method = format!("static [{this}.deferred()]() ");
                    self.edits.replace(block.span.start as usize..body, method);
                    self.insert(block.span.end, format!(" static {{ {this}.run(this); }}"));
                }
                _ => {}
            }
        }
        // Last, because the last element may end where this is inserted.
        if self.has_class_decorators() {
            let text = format!(" static {{ {}.finish(); }} ", self.this);
            self.insert(self.class.body.span.end - 1, text);
        }
    }

    /// Whether there is anything that only the helper can do.
    fn needs_state(&self) -> bool {
        self.has_class_decorators()
            || self.class.body.body.iter().any(|element| {
                let is_special = matches!(element, ClassElement::AccessorProperty(accessor)
                    if accessor.r#static || accessor.computed);
                is_special || !decorators_of(element).is_empty()
            })
    }

    fn has_class_decorators(&self) -> bool {
        !self.class.decorators.is_empty()
    }

    /// Makes the state of the class, in front of it or around it.
    fn wrap(&mut self) {
        let (this, helper) = (self.this.clone(), self.helper);
        let own_name = self.class.id.as_ref().map(|id| id.name.to_string());
        let begin = format!("{helper}.begin({})", self.decorator_list(&self.class.decorators));
        if let Some(statement) = self.context.statement.filter(|_| !self.has_class_decorators()) {
            self.insert(statement, format!("let {this} = {begin}; "));
            return;
        }
        let name = own_name.clone().unwrap_or_else(|| self.context.given_name.clone());
        let name = string_literal(&name);
        if !self.has_class_decorators() {
            let (open, close) = match own_name {
                Some(_) => (String::new(), String::new()),
                None => (format!("({{ {name}: "), format!(" }})[{name}]")),
            };
            self.insert(whole(self.class).start, format!("(({this}) => {open}"));
            self.insert(self.class.span.end, format!("{close})({begin})"));
            return;
        }
        // Inside of a class its name means what the decorators made of it, so that it is a variable around the class.
        let inner = own_name.as_ref().map(|name| format!("let {name}; ")).unwrap_or_default();
        let (before, after) = match (&own_name, self.context.statement) {
            (Some(name), Some(_)) if self.context.is_default_export => {
                (format!("let {name} = "), format!("; export {{ {name} as default }};"))
            }
            (Some(name), Some(_)) => (format!("let {name} = "), ";".to_owned()),
            (None, Some(_)) => ("export default ".to_owned(), ";".to_owned()),
            _ => (String::new(), String::new()),
        };
        let start = match self.context.statement {
            Some(statement) if self.context.is_default_export => statement,
            _ => whole(self.class).start,
        };
        let head_end = self.class.id.as_ref().map_or_else(|| self.keyword_end(), |id| id.span.end as usize);
        let head = format!("{before}(({this}) => {{ {inner}({{ {name}: class");
        self.replace(start as usize..head_end, &head);
        self.insert(self.class.span.end, format!(" }}); return {this}.current; }})({begin}){after}"));
    }

    /// Behind the word `class` of a class without a name.
    fn keyword_end(&self) -> usize {
        let after_decorators = self.class.decorators.last().map_or(0, |decorator| decorator.span.end);
        let from = self.class.span.start.max(after_decorators) as usize;
        let found = self.text.get(from..).and_then(|rest| rest.find("class"));
        found.map_or(from, |at| from + at + "class".len())
    }

    fn open_body(&mut self) {
        let this = self.this.clone();
        let name = self.class.id.as_ref().filter(|_| self.has_class_decorators());
        let assign = name.map(|id| format!("{} = ", id.name)).unwrap_or_default();
        let mut text = format!(" static {{ {assign}{this}.apply(this); }}");
        let has_methods = self.class.body.body.iter().any(|element| {
            matches!(element, ClassElement::MethodDefinition(method)
                if !method.r#static && !method.decorators.is_empty())
        });
        if has_methods {
            text.push_str(&format!(" #{this}_methods = {this}.initializeMethods(this);"));
        }
        self.insert(self.class.body.span.start + 1, text);
    }

    fn method(&mut self, method: &MethodDefinition<'_>) {
        let (kind, accessor) = match method.kind {
            MethodDefinitionKind::Get => ("getter", "get "),
            MethodDefinitionKind::Set => ("setter", "set "),
            _ => ("method", ""),
        };
        let element = Element { kind, is_static: method.r#static, key: &method.key };
        let name = self.element(&element, &method.decorators);
        let head = format!(
            "{}{}{}{accessor}[{name}]",
            if method.r#static { "static " } else { "" },
            if method.value.r#async { "async " } else { "" },
            if method.value.generator { "*" } else { "" },
        );
        self.replace(method.span.start as usize..method.value.span.start as usize, &head);
        if let PropertyKey::PrivateIdentifier(name) = &method.key {
            let parts: &[&str] = match kind {
                "getter" => &["get"],
                "setter" => &["set"],
                _ => &["method"],
            };
            let forwarded = self.private_forwarders(&element, &name.name, parts);
            self.insert(method.span.end, forwarded);
        }
        self.index += 1;
    }

    /// What stands under a private name: calls of what the decorators made of the element.
    fn private_forwarders(&self, element: &Element<'_, '_>, name: &str, parts: &[&str]) -> String {
        let (this, index) = (&self.this, self.index);
        let is_static = if element.is_static { "static " } else { "" };
        let forwarder = |part: &&str| match *part {
            "get" => format!(" {is_static}get #{name}() {{ return {this}.get({index}, this); }}"),
            "set" => format!(" {is_static}set #{name}(value) {{ {this}.set({index}, this, value); }}"),
            _ => format!(" {is_static}get #{name}() {{ return {this}.method({index}); }}"),
        };
        parts.iter().map(forwarder).collect()
    }

    fn field(&mut self, field: &PropertyDefinition<'_>) {
        let is_private = matches!(field.key, PropertyKey::PrivateIdentifier(_));
        let is_decorated = !field.decorators.is_empty();
        let is_deferred = field.r#static && !is_private && self.has_class_decorators();
        if !is_decorated && !is_deferred {
            return;
        }
        let (this, index) = (self.this.clone(), self.index);
        let element = Element { kind: "field", is_static: field.r#static, key: &field.key };
        let name = match is_decorated {
            true => self.element(&element, &field.decorators),
            false => self.key_text(&element),
        };
        let is_static = if field.r#static { "static " } else { "" };
        let FieldWrapper { head: open, tail: close } =
            self.initial_value(field.value.as_ref(), is_decorated.then_some(index));
        let (head, tail) = match &field.key {
            PropertyKey::PrivateIdentifier(key) => {
                (format!("{is_static}[{name}]() {{}} {is_static}#{} = {open}", key.name), format!("{close};"))
            }
            _ if is_deferred => (
                format!("static [{this}.deferred({name})]() {{ return {open}"),
                format!("{close}; }} static {{ {this}.define(this); }}"),
            ),
            _ => (format!("{is_static}[{name}] = {open}"), format!("{close};")),
        };
        let tail = if is_decorated { tail + &self.finish_field(field.r#static) } else { tail };
        self.around_value(field.span, field.value.as_ref(), FieldWrapper { head, tail });
        self.index += usize::from(is_decorated);
    }

    fn accessor(&mut self, accessor: &AccessorProperty<'_>) {
        let (this, index) = (self.this.clone(), self.index);
        let is_decorated = !accessor.decorators.is_empty();
        let element = Element { kind: "accessor", is_static: accessor.r#static, key: &accessor.key };
        let (getter, setter) = match &accessor.key {
            _ if is_decorated => {
                let name = self.element(&element, &accessor.decorators);
                (format!("[{name}]"), format!("[{this}.keyOf({index})]"))
            }
            PropertyKey::PrivateIdentifier(key) => (format!("#{}", key.name), format!("#{}", key.name)),
            _ if accessor.computed => {
                (format!("[{this}.name({})]", self.key_text(&element)), format!("[{this}.lastName]"))
            }
            _ => (format!("[{}]", self.key_text(&element)), format!("[{}]", self.key_text(&element))),
        };
        let slot = accessor.span.start;
        let (storage, prefix) = match accessor.r#static {
            true => (format!("{this}.slots[{slot}]"), "static "),
            false => (format!("this.#{this}_{slot}"), ""),
        };
        let mut head = format!(
            "{prefix}get {getter}() {{ return {storage}; }} {prefix}set {setter}(value) {{ {storage} = value; }} "
        );
        if let PropertyKey::PrivateIdentifier(key) = &accessor.key
            && is_decorated
        {
            head.push_str(&self.private_forwarders(&element, &key.name, &["get", "set"]));
        }
        let FieldWrapper { head: open, tail: close } =
            self.initial_value(accessor.value.as_ref(), is_decorated.then_some(index));
        let mut tail = match accessor.r#static {
            true => {
                head.push_str(&format!("static [{this}.deferred()]() {{ return {open}"));
                format!("{close}; }} static {{ {storage} = {this}.run(this); }}")
            }
            false => {
                head.push_str(&format!(" #{this}_{slot} = {open}"));
                format!("{close};")
            }
        };
        if is_decorated {
            tail.push_str(&self.finish_field(accessor.r#static));
        }
        self.around_value(accessor.span, accessor.value.as_ref(), FieldWrapper { head, tail });
        self.index += usize::from(is_decorated);
    }

    /// What stands before and after the value of a field. `index` is that of a decorated one.
    fn initial_value(&self, value: Option<&Expression<'_>>, index: Option<usize>) -> FieldWrapper {
        let this = &self.this;
        let (mut open, mut close) = match index {
            Some(index) => (format!("{this}.initialize({index}, this, "), ")".to_owned()),
            None => (String::new(), String::new()),
        };
        match value {
            None => open.push_str("undefined"),
            // What is the argument of a call gets no name by itself.
            Some(value) if value.is_anonymous_function_definition() => {
                let name = index.map_or_else(|| "lastName".to_owned(), |index| format!("nameOf({index})"));
                open.push_str(&format!("{this}.named("));
                close.insert_str(0, &format!(", {this}.{name})"));
            }
            Some(_) => {}
        }
        FieldWrapper { head: open, tail: close }
    }

    fn finish_field(&self, is_static: bool) -> String {
        let (this, index) = (&self.this, self.index);
        match is_static {
            true => format!(" static {{ {this}.finishField({index}, {this}.current); }}"),
            false => format!(" #{this}_finish_{index} = {this}.finishField({index}, this);"),
        }
    }

    /// Replaces all of an element but its value, which stays where it is.
    fn around_value(&mut self, span: Span, value: Option<&Expression<'_>>, around: FieldWrapper) {
        let FieldWrapper { head, tail } = around;
        let (start, end) = (span.start as usize, span.end as usize);
        match value {
            Some(value) => {
                let value = value.span();
                self.replace(start..value.start as usize, &head);
                self.replace(value.end as usize..end, &tail);
            }
            None => self.replace(start..end, &(head + &tail)),
        }
    }

    /// The expression in the computed name of a decorated element.
    fn element(&self, element: &Element<'_, '_>, decorators: &[Decorator<'_>]) -> String {
        let Element { kind, is_static, key } = element;
        let access = match key {
            PropertyKey::PrivateIdentifier(name) => {
                let name = &name.name;
                format!(
                    ", {{ has: (object) => #{name} in object, get: (object) => object.#{name}, \
                     set: (object, value) => {{ object.#{name} = value; }} }}"
                )
            }
            _ => String::new(),
        };
        let (name, list) = (self.key_text(element), self.decorator_list(decorators));
        // Decorators are evaluated before the name.
        format!("{}.element({list}, '{kind}', {is_static}, {name}{access})", self.this)
    }

    fn key_text(&self, element: &Element<'_, '_>) -> String {
        match element.key {
            PropertyKey::StaticIdentifier(name) => string_literal(&name.name),
            PropertyKey::PrivateIdentifier(name) => string_literal(&format!("#{}", name.name)),
            key => self.source(key.span()).to_owned(),
        }
    }

    /// A list of decorators. The object of `@object.method` is its `this`.
    fn decorator_list(&self, decorators: &[Decorator<'_>]) -> String {
        let texts = decorators.iter().map(|decorator| {
            let expression = decorator.expression.without_parentheses();
            let object = match expression {
                Expression::StaticMemberExpression(member) => Some(&member.object),
                Expression::PrivateFieldExpression(member) => Some(&member.object),
                _ => None,
            };
            match object {
                Some(object) if !object.is_super() => {
                    let (all, object) = (expression.span(), object.span());
                    let member = self.source(Span::new(object.end, all.end));
                    format!("{}.bound({}, (object) => object{member})", self.helper, self.source(object))
                }
                _ => self.source(expression.span()).to_owned(),
            }
        });
        format!("[{}]", texts.collect::<Vec<_>>().join(", "))
    }

    fn source(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn insert(&mut self, at: u32, text: String) {
        self.edits.insert(at as usize, text);
    }

    /// Replaces a range; as many lines stay as there were.
    fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        let lines = |text: &str| text.matches('\n').count();
        let before = lines(self.text.get(range.clone()).unwrap_or_default());
        let missing = before.saturating_sub(lines(text));
        self.edits.replace(range, format!("{}{text}", "\n".repeat(missing)));
    }
}

/// What stands before and after the value of a field.
struct FieldWrapper {
    head: String,
    tail: String,
}

/// An element of a class that a decorator can stand before.
struct Element<'e, 'a> {
    kind: &'static str,
    is_static: bool,
    key: &'e PropertyKey<'a>,
}

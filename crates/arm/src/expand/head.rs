//! The heads of resources: condition, loop, type, name, place and id. They are evaluated when first asked for, since the
//! head of one resource may ask for the name of another.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::target::ResourceScope;
use super::{Batch, Conditions, Deployment, placed};
use crate::equivalence::normal_text;
use crate::error::Error;
use crate::evaluate::{ExpressionSite, Scope};
use crate::expression::{Expr, ExprKind};
use crate::limits::MAX_RESOURCES;
use crate::messages;
use crate::template::{Copy, Resource, Term, loop_count};
use crate::value::{Unknown, Value, cost, fold};

/// The heads of one resource of the template: one for each turn of its loop.
#[derive(Debug, Default)]
pub(super) enum Heads {
    #[default]
    Empty,
    Busy,
    Done(Result<Rc<HeadList>, Error>),
}

/// All heads of one resource.
#[derive(Debug)]
pub(super) struct HeadList {
    pub heads: Vec<Rc<Head>>,
    /// How many there are, when that is not known.
    pub open_count: Option<Value>,
}

/// Which head: the position of its resource in the template, and its position among the heads of that resource.
pub(super) type HeadKey = (usize, usize);

/// One resource, as far as it must be known before anything runs.
#[derive(Debug)]
pub(super) struct Head {
    pub key: HeadKey,
    pub resource: usize,
    /// The head of the resource it is written inside of.
    pub parent: Option<HeadKey>,
    pub batch: Option<Batch>,
    /// Whether its condition keeps it out.
    pub left_out: bool,
    /// What is written for it, evaluated: see [`Planned::own`](super::Planned::own).
    pub own: Vec<(&'static str, Value)>,
    /// `true`, `false`, or not known.
    pub condition: Value,
    pub resource_type: Value,
    pub api_version: Option<Value>,
    pub name: Option<Value>,
    pub id: Option<Value>,
    pub scope: Option<Value>,
    pub target: ResourceScope,
    /// The loops around it.
    pub names: Scope,
}

impl Head {
    fn text(value: Option<&Value>) -> Option<&str> {
        value.and_then(Value::as_str)
    }
}

/// What is known about a head before it is evaluated.
struct HeadContext<'h> {
    parent: Option<&'h Head>,
    batch: Option<Batch>,
    names: Scope,
}

/// Where heads are found. Positions are those of the flat list of all heads.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub all: Vec<Rc<Head>>,
    /// By symbolic name: the first position and how many.
    pub symbols: HashMap<String, (usize, usize)>,
    pub ids: HashMap<String, usize>,
    /// Ids that several have: whichever of them is deployed.
    repeated: HashSet<String>,
    pub names: HashMap<String, Vec<usize>>,
    pub loops: HashMap<String, Vec<usize>>,
    /// By ids and names that are not known: the same expression gives the same value. Made when it is first asked for.
    unknown: OnceCell<HashMap<String, Vec<usize>>>,
    /// Whether some id or name is not known, so that a name that is not found may still be there.
    pub open: bool,
}

impl Deployment<'_> {
    /// The heads of the resource at a position in the template.
    pub(super) fn heads(&self, at: usize) -> Result<Rc<HeadList>, Error> {
        let (Some(cell), Some(resource)) = (self.heads.get(at), self.setup.template.resources.get(at)) else {
            return Err(messages::no_such_resource(&at.to_string()));
        };
        match &*cell.borrow() {
            Heads::Done(result) => return result.clone(),
            Heads::Busy => return Err(messages::cycle("resource", &[&label(resource)])),
            Heads::Empty => {}
        }
        *cell.borrow_mut() = Heads::Busy;
        let place = |error| placed(error, &resource.path, resource.range);
        let result = self.collecting(resource, || self.make_heads(at, resource)).map(Rc::new);
        let result = result.map_err(|error| place(error).rooted());
        *cell.borrow_mut() = match &result {
            // Who asked while another head was busy is told so; the head itself may be fine.
            Err(_) if self.collects() => Heads::Empty,
            _ => Heads::Done(result.clone()),
        };
        result
    }

    /// All heads, indexed. Asked for only when all of them can be evaluated.
    pub(super) fn index(&self) -> Result<&Index, Error> {
        if self.index.get().is_none() {
            let mut index = Index::default();
            for (at, resource) in self.setup.template.resources.iter().enumerate() {
                let list = match self.heads(at) {
                    Ok(list) => list,
                    Err(error) if self.collects() => {
                        self.collect(error);
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                index.open |= list.open_count.is_some();
                let start = index.all.len();
                for head in &list.heads {
                    index.insert(head);
                }
                if let Some(symbol) = &resource.symbol {
                    index.symbols.insert(fold(symbol), (start, list.heads.len()));
                }
            }
            self.index.get_or_init(|| index);
        }
        self.index.get().ok_or_else(|| messages::no_such_resource(""))
    }

    fn make_heads(&self, at: usize, resource: &Resource) -> Result<HeadList, Error> {
        let mut list = HeadList { heads: Vec::new(), open_count: None };
        let parents = match resource.parent {
            Some(parent) => self.heads(parent)?.heads.iter().map(|head| Some(Rc::clone(head))).collect(),
            None => vec![None],
        };
        for parent in &parents {
            let names = parent.as_ref().map_or_else(
                || self.around.names.at(ExpressionSite::ResourceHead),
                |head| head.names.clone(),
            );
            let Some(copy) = &resource.copy else {
                if !self.admits(resource) {
                    return Ok(list);
                }
                let batch = parent.as_ref().and_then(|head| head.batch.clone());
                list.heads.push(Rc::new(self.head(
                    (at, list.heads.len()),
                    resource,
                    HeadContext { parent: parent.as_deref(), batch, names },
                )?));
                continue;
            };
            let count = self.value(&copy.count, &names).map_err(|e| e.within("count").within("copy"))?;
            let turns = match loop_count(&count, &copy.name) {
                Ok(Some(turns)) => turns,
                _ if self.collects() => {
                    self.collected.open_loops.borrow_mut().push(copy.count.range);
                    list.open_count = Some(count);
                    1
                }
                Ok(None) => {
                    list.open_count = Some(count);
                    continue;
                }
                Err(error) => return Err(error.at(copy.range).within("copy")),
            };
            let size = self.batch_size(copy, &names)?;
            for index in 0..turns {
                if !self.admits(resource) {
                    return Ok(list);
                }
                let batch = Batch { name: copy.name.clone(), index, number: size.map(|size| index / size) };
                let names = names.with_resource_loop(copy.name.clone(), index);
                list.heads.push(Rc::new(self.head(
                    (at, list.heads.len()),
                    resource,
                    HeadContext { parent: parent.as_deref(), batch: Some(batch), names },
                )?));
            }
        }
        Ok(list)
    }

    /// Whether there may be one more resource. If errors are final, that is said when all are counted.
    fn admits(&self, resource: &Resource) -> bool {
        if !self.collects() {
            return true;
        }
        let count = self.collected.resources.get() + 1;
        let spent = self.setup.budget.allocate(cost::RESOURCE).err().map(Error::from);
        let error = spent.or_else(|| {
            (count > MAX_RESOURCES).then(|| messages::too_many("resources", count, MAX_RESOURCES))
        });
        match error {
            Some(error) if !self.collected.is_full.replace(true) => self.collect(error.at(resource.range)),
            Some(_) => {}
            None => self.collected.resources.set(count),
        }
        !self.collected.is_full.get()
    }

    /// How many are deployed at once; nothing if all are.
    fn batch_size(&self, copy: &Copy, names: &Scope) -> Result<Option<usize>, Error> {
        if !copy.serial || self.collects() {
            return Ok(None);
        }
        let Some(term) = &copy.batch_size else { return Ok(Some(1)) };
        let value = self.evaluator().term(term, names).map_err(|e| e.within("batchSize").within("copy"))?;
        if value.is_unknown() {
            return Ok(Some(1));
        }
        let size = value.as_int().and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
        size.map(Some).ok_or_else(|| messages::bad_batch_size(&copy.name).at(copy.range).within("copy"))
    }

    fn head(&self, key: HeadKey, resource: &Resource, around: HeadContext<'_>) -> Result<Head, Error> {
        let HeadContext { parent, batch, names } = around;
        if !self.collects() {
            self.setup.budget.allocate(cost::RESOURCE)?;
        }
        let mut own = Vec::new();
        let condition = self.condition(resource, parent, &names)?;
        let left_out = self.leaves_out(Some(&condition));
        own.extend(resource.condition.is_some().then(|| ("condition", condition.clone())));
        let mut member = |term: Option<&Term>, name: &'static str| -> Result<Option<Value>, Error> {
            let Some(term) = term else { return Ok(None) };
            match self.value(term, &names) {
                Ok(value) => {
                    own.push((name, value.clone()));
                    Ok(Some(value).filter(|value| !value.is_null()))
                }
                // What is not deployed need not make sense.
                Err(error) if left_out && !error.is_overrun() => Ok(None),
                Err(error) => Err(error.within(name)),
            }
        };
        let own_type = member(resource.resource_type.as_ref(), "type")?;
        let own_name = member(resource.name.as_ref(), "name")?;
        let parent_type = parent.map(|parent| &parent.resource_type);
        let is_full =
            is_full_type(parent_type.and_then(Value::as_str), own_type.as_ref().and_then(Value::as_str));
        let (resource_type, name) = match is_full {
            true => (own_type, own_name),
            false => (
                below(parent_type, own_type.as_ref()),
                below(parent.and_then(|p| p.name.as_ref()), own_name.as_ref()),
            ),
        };
        let scope = member(resource.scope.as_ref(), "scope")?;
        let (subscription, group) = (
            member(resource.subscription.as_ref(), "subscriptionId")?,
            member(resource.resource_group.as_ref(), "resourceGroup")?,
        );
        let context = self.setup.context;
        let here = ResourceScope::of_context(context, self.setup.template.scope);
        let target = match (&scope, parent) {
            (Some(scope), _) => here.moved(subscription, group, context).named(scope),
            (None, Some(parent)) => parent.target.clone(),
            (None, None) => here.moved(subscription, group, context),
        };
        let resource_type = resource_type.unwrap_or(Value::NULL);
        let id = match (&name, &resource.extension) {
            (Some(name), None) => Some(target.id_of(&resource_type, &segments(name))),
            _ => None,
        };
        if id.is_none() && resource.extension.is_none() && !left_out && !self.collects() {
            let missing = if resource_type.is_null() { "type" } else { "name" };
            return Err(messages::missing_member(missing));
        }
        let api_version = member(resource.api_version.as_ref(), "apiVersion")?;
        let api_version = api_version.or_else(|| parent.and_then(|p| p.api_version.clone()));
        Ok(Head {
            key,
            resource: key.0,
            parent: parent.map(|parent| parent.key),
            batch,
            left_out,
            own,
            condition,
            resource_type,
            api_version,
            name,
            id,
            scope,
            target,
            names,
        })
    }

    fn condition(&self, resource: &Resource, parent: Option<&Head>, names: &Scope) -> Result<Value, Error> {
        if parent.is_some_and(|parent| parent.left_out) {
            return Ok(Value::bool(false));
        }
        let Some(term) = &resource.condition else { return Ok(Value::bool(true)) };
        let value = self.value(term, names).map_err(|error| error.within("condition"))?;
        if value.as_bool().is_none() && !value.is_unknown() && !self.collects() {
            return Err(messages::bad_condition(value.type_name()).at(term.range).within("condition"));
        }
        Ok(value)
    }

    /// Whether a condition keeps something out.
    pub(super) fn leaves_out(&self, condition: Option<&Value>) -> bool {
        self.setup.policy.conditions == Conditions::Applied
            && condition.and_then(Value::as_bool) == Some(false)
    }
}

impl Index {
    /// Whether another resource has the same id.
    pub(super) fn is_repeated(&self, head: &Head) -> bool {
        Head::text(head.id.as_ref()).is_some_and(|id| self.repeated.contains(&fold(id)))
    }

    fn insert(&mut self, head: &Rc<Head>) {
        let at = self.all.len();
        match Head::text(head.id.as_ref()) {
            Some(id) => {
                let id = fold(id);
                if self.ids.insert(id.clone(), at).is_some() {
                    self.repeated.insert(id);
                }
            }
            None => self.open |= has_unknown_id(head),
        }
        if let Some(name) = Head::text(head.name.as_ref()) {
            self.names.entry(fold(name)).or_default().push(at);
            if let Some(resource_type) = head.resource_type.as_str() {
                self.names.entry(fold(&format!("{resource_type}/{name}"))).or_default().push(at);
            }
        }
        if let Some(batch) = &head.batch {
            self.loops.entry(fold(&batch.name)).or_default().push(at);
        }
        self.all.push(Rc::clone(head));
    }

    /// The heads whose id or name is written with the same expression as a value that is not known.
    pub(super) fn find_unknown(&self, value: &Value) -> Vec<usize> {
        let unknown = self.unknown.get_or_init(|| {
            let mut unknown: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, head) in self.all.iter().enumerate().filter(|(_, head)| has_unknown_id(head)) {
                unknown_keys(head).into_iter().for_each(|key| unknown.entry(key).or_default().push(at));
            }
            unknown
        });
        unknown.get(&unknown_key(value)).cloned().unwrap_or_default()
    }

    /// The heads that a text names: a symbolic name, one of its turns as `name[1]`, an id, a loop, `type/name` or a name.
    pub(super) fn find(&self, text: &str) -> Vec<usize> {
        let folded = fold(text);
        if let Some((start, count)) = self.symbols.get(&folded) {
            return (*start..start + count).collect();
        }
        if let Some((symbol, turn)) = folded.strip_suffix(']').and_then(|text| text.split_once('['))
            && let (Some((start, count)), Ok(turn)) = (self.symbols.get(symbol), turn.parse::<usize>())
        {
            return (turn < *count).then(|| start + turn).into_iter().collect();
        }
        if let Some(at) = self.ids.get(&folded) {
            return vec![*at];
        }
        let named = self.loops.get(&folded).or_else(|| self.names.get(&folded));
        named.or_else(|| self.names.get(&relative(&folded)?)).cloned().unwrap_or_default()
    }
}

fn has_unknown_id(head: &Head) -> bool {
    head.id.as_ref().is_some_and(Value::is_unknown)
}

/// What a head whose id is not known is found by.
fn unknown_keys(head: &Head) -> Vec<String> {
    let (Some(id), Some(name)) = (&head.id, &head.name) else { return Vec::new() };
    let mut keys = vec![unknown_key(id)];
    if name.is_unknown() {
        keys.push(unknown_key(name));
        let resource_type = head.resource_type.as_str().map(|ty| Value::string(format!("{ty}/")));
        keys.extend(resource_type.map(|ty| unknown_key(&text_of(&[ty, name.clone()]))));
    }
    keys
}

/// What a value that is not known is found by: its expression, in which ways of writing do not count. The names in an id are one
/// text, since the name of a child is written as one and the arguments of `resourceId` are several.
fn unknown_key(value: &Value) -> String {
    let expression = value.as_unknown().map(|unknown| &unknown.expression);
    let Some(ExprKind::Call(call)) = expression.map(Expr::kind) else { return normal_text(value) };
    let lead = match call.name.to_ascii_lowercase().as_str() {
        "resourceid" => 2,
        "subscriptionresourceid" | "managementgroupresourceid" | "extensionresourceid" => 1,
        "tenantresourceid" => 0,
        _ => return normal_text(value),
    };
    let Some((scope, [resource_type, names @ ..])) = call.args.split_at_checked(lead) else {
        return normal_text(value);
    };
    let mut parts: Vec<Expr> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        parts.extend((at > 0).then(|| Expr::string("/")));
        parts.push(name.clone());
    }
    let mut args: Vec<Expr> = scope.to_vec();
    args.extend([resource_type.clone(), Expr::call("concat", parts)]);
    normal_text(&Value::unknown(Unknown::of_parts(Expr::call(&call.name, args), &[])))
}

/// Texts put together, some of which are not known.
fn text_of(parts: &[Value]) -> Value {
    let call = Expr::call("concat", parts.iter().map(Expr::of_value).collect());
    Value::unknown(Unknown::of_parts(call, parts))
}

/// `NAMESPACE/TYPE/NAME/CHILD/NAME` as `NAMESPACE/TYPE/CHILD/NAME/NAME`.
fn relative(text: &str) -> Option<String> {
    let mut parts = text.split('/');
    let mut resource_type = parts.next()?.to_owned();
    let mut names = Vec::new();
    while let (Some(segment), Some(name)) = (parts.next(), parts.next()) {
        resource_type = format!("{resource_type}/{segment}");
        names.push(name);
    }
    (names.len() > 1).then(|| format!("{resource_type}/{}", names.join("/")))
}

/// How messages call a resource.
pub(super) fn label(resource: &Resource) -> String {
    if let Some(symbol) = &resource.symbol {
        return symbol.to_string();
    }
    let literal = resource.name.as_ref().and_then(|name| name.as_literal()?.as_str().map(String::from));
    literal.unwrap_or_else(|| placed(messages::no_such_resource(""), &resource.path, resource.range).path())
}

/// Whether a child that is written inside its parent has its whole type, and so its whole name, and not only their last
/// segments.
pub fn is_full_type(parent: Option<&str>, own: Option<&str>) -> bool {
    let (Some(parent), Some(own)) = (parent, own) else { return false };
    let rest = own.get(..parent.len()).filter(|head| head.eq_ignore_ascii_case(parent));
    rest.is_some() && own.as_bytes().get(parent.len()) == Some(&b'/')
}

/// `parent/own`; the parent's alone is nobody's.
fn below(parent: Option<&Value>, own: Option<&Value>) -> Option<Value> {
    let own = own?;
    let Some(parent) = parent else { return Some(own.clone()) };
    if let (Some(parent), Some(own)) = (parent.as_str(), own.as_str()) {
        return Some(Value::string(format!("{parent}/{own}")));
    }
    let args = [Value::from("{0}/{1}"), parent.clone(), own.clone()];
    let call = Expr::call("format", args.iter().map(Expr::of_value).collect());
    Some(Value::unknown(Unknown::of_parts(call, &args)))
}

/// The segments of a name. What is not known is one segment.
fn segments(name: &Value) -> Vec<Value> {
    match name.as_str() {
        Some(text) => {
            let mark = |value: Value| if name.is_secure() { value.into_secure() } else { value };
            text.split('/').map(|part| mark(Value::from(part))).collect()
        }
        None => vec![name.clone()],
    }
}

/// The symbolic name of a turn.
pub(super) fn turn_symbol(symbol: &SmolStr, batch: Option<&Batch>) -> SmolStr {
    match batch {
        Some(batch) => SmolStr::from(format!("{symbol}[{}]", batch.index)),
        None => symbol.clone(),
    }
}

//! Text → tree. One loop over a stack of open arrays and objects: no recursion, and every turn either reads something
//! or closes something, so that it ends for every input in linear time.

use std::borrow::Cow;
use std::ops::ControlFlow;

use base::{TextRange, TextSize};

use crate::scan::{Scanner, range};
use crate::{DEEPEST, Node, Options, Parsed, messages};

pub(crate) fn run(text: &str, options: Options) -> Parsed {
    if u32::try_from(text.len()).is_err() {
        return Parsed { diagnostics: vec![messages::text_too_large()], ..Parsed::default() };
    }
    let mut parser = Parser::<Node>::new(text, options);
    let root = parser.document();
    Parsed { root, diagnostics: parser.scan.diagnostics, comments: parser.scan.comments }
}

/// A value of the tree that the parser makes: with ranges ([`Node`]), or with borrowed text
/// ([`borrowed::Value`](crate::borrowed::Value)).
pub(crate) trait TreeValue<'t>: Sized {
    /// A name with its value.
    type Member;

    fn null(range: TextRange) -> Self;
    fn bool(range: TextRange, value: bool) -> Self;
    fn string(range: TextRange, text: Cow<'t, str>) -> Self;
    /// Reads a number.
    fn number(scan: &mut Scanner<'t>) -> Self;
    fn array(range: TextRange, items: Vec<Self>) -> Self;
    fn object(range: TextRange, members: Vec<Self::Member>, scan: &mut Scanner<'t>) -> Self;
    fn member(name: Name<'t>, value: Self) -> Self::Member;
    fn value_of(member: &Self::Member) -> &Self;
    /// Where it ends, if that is known.
    fn end(&self) -> Option<TextSize>;
}

/// The name of a member, and where it stands.
pub(crate) struct Name<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) range: TextRange,
}

pub(crate) struct Parser<'t, V: TreeValue<'t>> {
    pub(crate) scan: Scanner<'t>,
    options: Options,
    max_depth: usize,
    stack: Vec<Open<'t>>,
    /// The items of all open arrays, those of the innermost one last. No array grows while it is read.
    items: Vec<V>,
    /// The members of all open objects.
    members: Vec<V::Member>,
    open_arrays: usize,
    /// The missing end is reported once, not for everything that is open.
    ended_early: bool,
}

/// An array or object whose end has not been seen.
struct Open<'t> {
    start: usize,
    /// Where its items or members begin among those of all that are open.
    first: usize,
    list: List<'t>,
}

enum List<'t> {
    Array,
    /// With the name that waits for its value.
    Object(Option<Name<'t>>),
}

/// What to do next with the innermost open array or object.
enum Next {
    /// Read a value into it.
    Value,
    /// It ends at this offset.
    Close(usize),
}

/// Where in an array or object we are.
enum ListState {
    /// Before an item; the comma before it, if there was one.
    Item(Option<TextRange>),
    /// After an item.
    After,
}

impl<'t, V: TreeValue<'t>> Parser<'t, V> {
    /// A parser of a text of less than 4 GiB.
    pub(crate) fn new(text: &'t str, options: Options) -> Self {
        Self {
            scan: Scanner::new(text, options),
            options,
            max_depth: options.max_depth.min(DEEPEST) as usize,
            stack: Vec::new(),
            items: Vec::new(),
            members: Vec::new(),
            open_arrays: 0,
            ended_early: false,
        }
    }

    /// The one value of a text.
    pub(crate) fn document(&mut self) -> Option<V> {
        let root = self.next_value()?;
        self.scan.trivia();
        if self.scan.peek().is_some() {
            let (_, range) = self.scan.word();
            self.scan.report(messages::text_after_value(range));
        }
        Some(root)
    }

    /// The next value; what follows it is not looked at.
    pub(crate) fn next_value(&mut self) -> Option<V> {
        self.scan.trivia();
        match self.scan.peek() {
            None => {
                self.scan.report(messages::nothing_there(self.scan.here()));
                return None;
            }
            Some(b',' | b':' | b']' | b'}') => {
                self.scan.report(messages::value_expected(self.scan.here()));
                return None;
            }
            Some(_) => {}
        }
        Some(self.tree())
    }

    fn tree(&mut self) -> V {
        let mut next = Next::Value;
        loop {
            let complete = match next {
                Next::Value => self.value(),
                Next::Close(end) => self.close(end),
            };
            let place = match complete {
                None => ListState::Item(None),
                Some(node) => match self.attach(node) {
                    Some(root) => return root,
                    None => ListState::After,
                },
            };
            next = self.advance(place);
        }
    }

    /// Reads a value. None when an array or object was opened.
    fn value(&mut self) -> Option<V> {
        let start = self.scan.pos();
        match self.scan.peek() {
            Some(b'{') => self.open(List::Object(None), self.members.len()),
            Some(b'[') => self.open(List::Array, self.items.len()),
            Some(b'"' | b'\'') => {
                let (text, range) = self.scan.string();
                Some(V::string(range, text))
            }
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => Some(V::number(&mut self.scan)),
            None | Some(b',' | b':' | b']' | b'}') => {
                self.scan.report(messages::value_expected(self.scan.here()));
                Some(V::null(range(start, start)))
            }
            Some(_) => Some(self.keyword()),
        }
    }

    fn keyword(&mut self) -> V {
        let (word, range) = self.scan.word();
        match word {
            "true" => V::bool(range, true),
            "false" => V::bool(range, false),
            "null" => V::null(range),
            _ => {
                self.scan.report(messages::unknown_word(range, word));
                V::null(range)
            }
        }
    }

    fn open(&mut self, list: List<'t>, first: usize) -> Option<V> {
        let start = self.scan.pos();
        if self.stack.len() >= self.max_depth {
            self.scan.report(messages::too_deep(self.scan.here(), self.max_depth));
            self.skip_group();
            return Some(V::null(range(start, self.scan.pos())));
        }
        self.open_arrays += usize::from(matches!(list, List::Array));
        self.stack.push(Open { start, first, list });
        self.scan.bump();
        None
    }

    fn close(&mut self, end: usize) -> Option<V> {
        let Open { start, first, list } = self.stack.pop()?;
        Some(match list {
            List::Array => {
                self.open_arrays -= 1;
                V::array(range(start, end), self.items.split_off(first))
            }
            List::Object(_) => V::object(range(start, end), self.members.split_off(first), &mut self.scan),
        })
    }

    /// Puts a value where it belongs; gives it back when it is the root.
    fn attach(&mut self, value: V) -> Option<V> {
        let Some(open) = self.stack.last_mut() else { return Some(value) };
        match &mut open.list {
            List::Array => self.items.push(value),
            List::Object(name) => {
                if let Some(name) = name.take() {
                    self.members.push(V::member(name, value));
                }
            }
        }
        None
    }

    fn advance(&mut self, mut place: ListState) -> Next {
        loop {
            self.scan.trivia();
            let turn = match place {
                ListState::Item(comma) => self.before_item(comma),
                ListState::After => self.after_item(),
            };
            match turn {
                ControlFlow::Break(next) => return next,
                ControlFlow::Continue(then) => place = then,
            }
        }
    }

    fn before_item(&mut self, comma: Option<TextRange>) -> ControlFlow<Next, ListState> {
        match self.scan.peek() {
            None => ControlFlow::Break(self.end_early()),
            Some(closer @ (b']' | b'}')) => {
                if let Some(comma) = comma.filter(|_| !self.options.trailing_commas) {
                    self.scan.report(messages::trailing_comma(comma));
                }
                self.closer(closer, ListState::Item(None))
            }
            Some(b',') => {
                let here = self.scan.here();
                let missing =
                    if self.in_array() { messages::value_expected } else { messages::name_expected };
                self.scan.report(missing(here));
                self.scan.bump();
                ControlFlow::Continue(ListState::Item(None))
            }
            Some(b':') if self.in_array() => {
                self.stray();
                ControlFlow::Continue(ListState::After)
            }
            Some(_) if self.in_array() => ControlFlow::Break(Next::Value),
            Some(_) => self.name(),
        }
    }

    /// A name and the colon after it.
    fn name(&mut self) -> ControlFlow<Next, ListState> {
        let name = match self.scan.peek() {
            Some(b'"' | b'\'') => Some(self.scan.string()),
            _ => self.scan.bare_name(),
        };
        if name.is_none() {
            self.scan.report(messages::name_expected(self.scan.here()));
            self.skip_to_comma();
            return ControlFlow::Continue(ListState::After);
        }
        if let Some(Open { list: List::Object(slot), .. }) = self.stack.last_mut() {
            *slot = name.map(|(text, range)| Name { text, range });
        }
        self.scan.trivia();
        if self.scan.peek() == Some(b':') {
            self.scan.bump();
            self.scan.trivia();
            while self.scan.peek() == Some(b':') {
                self.scan.report(messages::unexpected(self.scan.here(), ":"));
                self.scan.bump();
                self.scan.trivia();
            }
            return ControlFlow::Break(Next::Value);
        }
        let here = self.scan.here();
        self.scan.report(messages::colon_expected(here));
        if !matches!(self.scan.peek(), None | Some(b',' | b']' | b'}')) {
            return ControlFlow::Break(Next::Value);
        }
        // The name stands alone: one report is enough.
        self.attach(V::null(TextRange::empty(here.start())));
        ControlFlow::Continue(ListState::After)
    }

    fn after_item(&mut self) -> ControlFlow<Next, ListState> {
        match self.scan.peek() {
            None => ControlFlow::Break(self.end_early()),
            Some(b',') => {
                let comma = self.scan.here();
                self.scan.bump();
                ControlFlow::Continue(ListState::Item(Some(comma)))
            }
            Some(closer @ (b']' | b'}')) => self.closer(closer, ListState::After),
            Some(b'"' | b'\'' | b'[' | b'{' | b'-' | b'_' | b'$' | 0x80..) => self.comma_missing(),
            Some(byte) if byte.is_ascii_alphanumeric() => self.comma_missing(),
            Some(_) => {
                self.stray();
                ControlFlow::Continue(ListState::After)
            }
        }
    }

    fn comma_missing(&mut self) -> ControlFlow<Next, ListState> {
        let here = self.scan.here();
        let last = self.stack.last().and_then(|open| match &open.list {
            List::Array => self.items.get(open.first..)?.last(),
            List::Object(_) => self.members.get(open.first..)?.last().map(V::value_of),
        });
        let gap = last.and_then(V::end).unwrap_or_else(|| here.start());
        self.scan.report(messages::comma_expected(here, TextRange::empty(gap)));
        ControlFlow::Continue(ListState::Item(None))
    }

    /// At `]` or `}`: ends what it closes, and what stands in between when something was left open.
    fn closer(&mut self, found: u8, otherwise: ListState) -> ControlFlow<Next, ListState> {
        let closes_array = found == b']';
        if self.in_array() == closes_array {
            self.scan.bump();
            return ControlFlow::Break(Next::Close(self.scan.pos()));
        }
        let here = self.scan.here();
        let open_objects = self.stack.len() - self.open_arrays;
        let closes_outer = if closes_array { self.open_arrays > 0 } else { open_objects > 0 };
        if closes_outer {
            let (opening, closer) = self.innermost();
            self.scan.report(messages::wrong_closer(here, opening, closer));
            return ControlFlow::Break(Next::Close(here.start().into()));
        }
        self.scan.report(messages::unexpected(here, if closes_array { "]" } else { "}" }));
        self.scan.bump();
        ControlFlow::Continue(otherwise)
    }

    fn end_early(&mut self) -> Next {
        if !self.ended_early {
            self.ended_early = true;
            let (opening, closer) = self.innermost();
            self.scan.report(messages::not_closed(self.scan.here(), opening, closer));
        }
        Next::Close(self.scan.pos())
    }

    /// Where the innermost open array or object was opened, and what closes it.
    fn innermost(&self) -> (TextRange, char) {
        let start = self.stack.last().map_or(0, |open| open.start);
        (range(start, start + 1), if self.in_array() { ']' } else { '}' })
    }

    fn in_array(&self) -> bool {
        matches!(self.stack.last(), Some(Open { list: List::Array, .. }))
    }

    /// Reports what cannot stand here, and steps over it.
    fn stray(&mut self) {
        let here = self.scan.here();
        let (found, _) = self.scan.word();
        self.scan.report(messages::unexpected(here, found));
        self.skip_to_comma();
    }

    /// Steps over everything up to the next comma or closing bracket of this level.
    fn skip_to_comma(&mut self) {
        loop {
            self.scan.trivia();
            match self.scan.peek() {
                None | Some(b',' | b']' | b'}') => return,
                Some(b'[' | b'{') => self.skip_group(),
                Some(b'"' | b'\'') => drop(self.scan.string()),
                Some(_) => drop(self.scan.word()),
            }
        }
    }

    /// Steps over brackets and everything inside.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        loop {
            self.scan.trivia();
            match self.scan.peek() {
                None => return,
                Some(b'[' | b'{') => {
                    depth += 1;
                    self.scan.bump();
                }
                Some(b']' | b'}') => {
                    depth -= 1;
                    self.scan.bump();
                    if depth == 0 {
                        return;
                    }
                }
                Some(b'"' | b'\'') => drop(self.scan.string()),
                Some(_) => drop(self.scan.word()),
            }
        }
    }
}

//! Where a script calls built-in functions. The engine cannot be asked while it is inside of one, so a run that was
//! started only to find the place ([`crate::Settings::locates_built_ins`]) tells the host before and after each call.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function};
use rustc_hash::FxHashMap;

use super::{Shared, errors};
use crate::session::Session;

/// Replaces the built-in functions of the language that can take long by functions that say where they are called.
pub(super) fn announce_calls<'js>(
    ctx: &Ctx<'js>,
    session: &Rc<Session>,
    shared: &Rc<Shared>,
) -> rquickjs::Result<()> {
    let wrap: Function<'js> = ctx.eval(WRAP)?;
    let (entering, shared) = (Rc::clone(session), Rc::clone(shared));
    // A script that is stuck mostly calls from the same place; to find it in TypeScript takes a while.
    let known: RefCell<FxHashMap<String, String>> = RefCell::default();
    let enter = Function::new(ctx.clone(), move |stack: String| {
        let mut known = known.borrow_mut();
        let place = match known.get(&stack) {
            Some(place) => place.clone(),
            None => {
                let place = errors::place_in_stack(&entering, &shared, &stack).unwrap_or_default();
                known.insert(stack, place.clone());
                place
            }
        };
        entering.host.enter_built_in(place);
    })?;
    let leaving = Rc::clone(session);
    let leave = Function::new(ctx.clone(), move || leaving.host.leave_built_in())?;
    wrap.call((enter, leave))
}

const WRAP: &str = "(enter, leave) => {
  const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Reflect;
  const Stack = Error;
  const holders = [
    String, String.prototype, Array, Array.prototype, RegExp.prototype, JSON, Object, Object.prototype, Number.prototype,
    BigInt, BigInt.prototype, Map.prototype, Set.prototype, ArrayBuffer.prototype, getPrototypeOf(Int8Array.prototype), Reflect,
  ];
  for (const holder of holders) for (const key of ownKeys(holder)) {
    const described = getOwnPropertyDescriptor(holder, key);
    const original = described.value;
    if (typeof original !== 'function' || key === 'constructor' || !described.configurable) continue;
    const wrapper = { [key](...values) {
      enter(new Stack().stack);
      try { return apply(original, this, values); } finally { leave(); }
    } }[key];
    defineProperty(wrapper, 'length', { value: original.length });
    defineProperty(holder, key, { ...described, value: wrapper });
  }
}";

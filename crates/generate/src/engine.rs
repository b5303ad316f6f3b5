//! The JavaScript engine. A module comes in and is run until nothing is left to do; everything it does goes through
//! the [`Session`]. No type of the engine leaves this folder.

mod commonjs;
mod errors;
mod host_functions;
mod large_json;
mod modules;
mod places;
mod validators;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Module, Object, Persistent, Promise, Runtime, Value};
use rustc_hash::FxHashMap;

use crate::host::{Place, Watched};
use crate::messages;
use crate::paths;
use crate::script_error::ScriptError;
use crate::session::Session;

/// A module that a run starts with.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name: the absolute path of a file, `<exec>`, `<stdin>`, or a name that starts with [`COMMAND`].
    pub(crate) name: String,
    /// Its text, in the language that the name says.
    pub(crate) source: String,
    /// The script as the user named it, for messages.
    pub(crate) shown: String,
}

/// What the names of our own entry modules start with; they may import the internals of the standard library.
pub(crate) const COMMAND: &str = "sinew:command/";

/// Runs a module and everything that it starts.
pub(crate) fn run(session: &Rc<Session>, entry: &Entry) -> Result<(), ScriptError> {
    let limit = session.settings.limits.script.time;
    session.host.watch(limit, &|| {
        let shown = paths::display(&entry.shown, &session.settings.folder);
        Watched { message: format!("{shown}: {}", messages::script_overrun(limit)), validator_call: None }
    });
    // The engine recurses on the native stack; on one of its own it can be given a generous limit.
    base::recursion::on_new_stack(STACK_BYTES + NATIVE_RESERVE, || {
        let engine = match Engine::new(Rc::clone(session)) {
            Ok(engine) => engine,
            Err(error) => {
                session.host.unwatch();
                return Err(error);
            }
        };
        let result = engine.evaluate(entry).map_err(|error| engine.recognise_lack_of_memory(error, entry));
        engine.shared.rejections.take();
        engine.shared.next_timer.take();
        engine.shared.namespaces.take();
        // To give back the memory may take a while; the script has ended before.
        session.host.unwatch();
        if session.settings.ends_process {
            std::mem::forget(engine);
        }
        result
    })
}

/// How much of the stack scripts may use.
const STACK_BYTES: usize = 8 << 20;
/// How much is left for our own functions when a script has used all of that.
const NATIVE_RESERVE: usize = 8 << 20;
/// Garbage in cycles is looked for when this part of the memory has been allocated. Everything else is counted, so that
/// scripts of usual size never get there; with 64 MB, looking took a third of the time to read a JSON file of 30 MB.
const GC_SHARE: usize = 4;

/// Every how many jobs the clock is read.
const JOBS_PER_TICK: u64 = 256;

struct Engine {
    session: Rc<Session>,
    shared: Rc<Shared>,
    context: Context,
    runtime: Runtime,
}

/// What the callbacks of the engine know.
struct Shared {
    /// When the running code has to be done.
    deadline: Cell<Duration>,
    /// Set when the deadline was missed, until somebody has dealt with it.
    is_overrun: Cell<bool>,
    /// Promises that were rejected without a handler, and why.
    rejections: RefCell<Vec<Rejection>>,
    sources: RefCell<modules::Sources>,
    /// The places that scripts announce, by number.
    places: RefCell<Vec<Arc<Place>>>,
    /// Modules that were loaded at once, by their names.
    namespaces: RefCell<FxHashMap<String, Persistent<Object<'static>>>>,
    /// Runs the next timer; answers whether there was one.
    next_timer: RefCell<Option<Persistent<Function<'static>>>>,
}

/// What the functions that load modules work with.
#[derive(Clone, Copy)]
struct RunState<'r> {
    session: &'r Session,
    shared: &'r Shared,
}

/// A promise that was rejected while nobody listened.
struct Rejection {
    promise: Persistent<Value<'static>>,
    reason: Persistent<Value<'static>>,
}

impl Shared {
    /// Somebody has dealt with a rejected promise.
    fn forget_rejection<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        let is_other = |rejection: &Rejection| {
            rejection.promise.clone().restore(ctx).is_ok_and(|other| other != *promise)
        };
        self.rejections.borrow_mut().retain(is_other);
    }

    /// Lets the time of the script pass to its next timer and runs that. False if there is none.
    fn run_next_timer(&self, ctx: &Ctx<'_>) -> rquickjs::Result<bool> {
        let next = self.next_timer.borrow().clone();
        match next {
            Some(next) => next.restore(ctx)?.call(()),
            None => Ok(false),
        }
    }
}

impl Engine {
    fn new(session: Rc<Session>) -> Result<Self, ScriptError> {
        let limits = session.settings.limits.script;
        let shared = Rc::new(Shared {
            deadline: Cell::new(session.host.elapsed().saturating_add(limits.time)),
            is_overrun: Cell::new(false),
            rejections: RefCell::default(),
            sources: RefCell::default(),
            places: RefCell::default(),
            namespaces: RefCell::default(),
            next_timer: RefCell::default(),
        });
        let failed = |error: rquickjs::Error| ScriptError::new("InternalError", error.to_string());
        let runtime = Runtime::new().map_err(failed)?;
        let memory = usize::try_from(limits.memory).unwrap_or(usize::MAX);
        runtime.set_memory_limit(memory);
        runtime.set_max_stack_size(STACK_BYTES);
        runtime.set_gc_threshold(memory / GC_SHARE);
        let (resolver, loader) = modules::resolver_and_loader(&session, &shared);
        runtime.set_loader(resolver, loader);
        runtime.set_interrupt_handler(Some(interrupt_handler(&session, &shared)));
        runtime.set_host_promise_rejection_tracker(Some(rejection_tracker(&shared)));
        let context = Context::full(&runtime).map_err(failed)?;
        Ok(Self { session, shared, context, runtime })
    }

    fn evaluate(&self, entry: &Entry) -> Result<(), ScriptError> {
        let promise = self.context.with(|ctx| {
            let started = host_functions::install(&ctx, &self.session, &self.shared)
                .and_then(|()| self.start(&ctx, entry))
                .map(|promise| Persistent::save(&ctx, promise));
            started.map_err(|error| self.describe(&ctx, &error))
        })?;
        self.finish_jobs(entry)?;
        self.context.with(|ctx| {
            let promise = promise.restore(&ctx).map_err(|error| self.describe(&ctx, &error))?;
            match promise.state() {
                PromiseState::Rejected => {
                    let error = promise.result::<Value<'_>>().and_then(Result::err);
                    Err(error.map_or_else(|| ScriptError::new("", "undefined"), |e| self.describe(&ctx, &e)))
                }
                PromiseState::Pending => Err(ScriptError::new("Error", messages::NEVER_SETTLES)),
                PromiseState::Resolved => self.unhandled_rejection(&ctx),
            }
        })?;
        // The engine does not look at the clock inside of its built-in functions, and few calls of those can take long.
        let is_late = self.session.host.elapsed() > self.shared.deadline.get();
        if is_late { Err(self.overrun(entry)) } else { Ok(()) }
    }

    fn start<'js>(&self, ctx: &Ctx<'js>, entry: &Entry) -> rquickjs::Result<Promise<'js>> {
        let source = modules::to_javascript(ctx, self.state(), &entry.name, entry.source.clone())?;
        let module = Module::declare(ctx.clone(), entry.name.as_str(), source)?;
        modules::set_import_meta(ctx, &module, &entry.name)?;
        let (_, promise) = module.eval()?;
        Ok(promise)
    }

    fn state(&self) -> RunState<'_> {
        RunState { session: &self.session, shared: &self.shared }
    }

    fn finish_jobs(&self, entry: &Entry) -> Result<(), ScriptError> {
        // Jobs may be too short for the engine to look at the clock. If it does, it knows the line.
        let deadline = self.shared.deadline.get() + self.session.settings.limits.script.time / 100;
        for count in 1_u64.. {
            if count.is_multiple_of(JOBS_PER_TICK) && self.session.host.elapsed() > deadline {
                return Err(self.overrun(entry));
            }
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => {
                    let has_run = self.context.with(|ctx| {
                        self.shared.run_next_timer(&ctx).map_err(|error| self.describe(&ctx, &error))
                    })?;
                    if !has_run {
                        return Ok(());
                    }
                }
                Err(failed) => {
                    return failed.0.with(|ctx| Err(self.describe(&ctx, &rquickjs::Error::Exception)));
                }
            }
        }
        Ok(())
    }

    /// The script took too long, nobody knows in which line.
    fn overrun(&self, entry: &Entry) -> ScriptError {
        let settings = &self.session.settings;
        let shown = paths::display(&entry.shown, &settings.folder);
        let message = messages::script_overrun(settings.limits.script.time);
        ScriptError::new("Error", format!("{shown}: {message}"))
    }

    fn unhandled_rejection(&self, ctx: &Ctx<'_>) -> Result<(), ScriptError> {
        let first = self.shared.rejections.take().into_iter().next();
        let Some(rejection) = first else { return Ok(()) };
        let reason = rejection.reason.restore(ctx).map_err(|error| self.describe(ctx, &error))?;
        Err(errors::from_value(&self.session, &self.shared, &reason))
    }

    /// With nothing left to make an error of, the engine throws null, and nobody knows the line.
    fn recognise_lack_of_memory(&self, error: ScriptError, entry: &Entry) -> ScriptError {
        let settings = &self.session.settings;
        let limit = settings.limits.script.memory;
        let used = u64::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        let is_null = error.name.is_empty() && error.message == "null";
        if !is_null || used <= limit / 8 {
            return error;
        }
        let shown = paths::display(&entry.shown, &settings.folder);
        ScriptError::new("Error", format!("{shown}: {}", messages::out_of_memory(limit)))
    }

    fn describe(&self, ctx: &Ctx<'_>, error: &rquickjs::Error) -> ScriptError {
        errors::from_error(&self.session, &self.shared, ctx, error)
    }
}

fn interrupt_handler(session: &Rc<Session>, shared: &Rc<Shared>) -> Box<dyn FnMut() -> bool> {
    let (session, shared) = (Rc::clone(session), Rc::clone(shared));
    Box::new(move || {
        session.host.tick();
        let is_late = session.host.elapsed() > shared.deadline.get();
        if is_late {
            shared.is_overrun.set(true);
        }
        is_late
    })
}

fn rejection_tracker(shared: &Rc<Shared>) -> rquickjs::runtime::RejectionTracker {
    let shared = Rc::clone(shared);
    Box::new(move |ctx, promise, reason, is_handled| {
        if is_handled {
            shared.forget_rejection(&ctx, &promise);
        } else {
            let rejection = Rejection {
                promise: Persistent::save(&ctx, promise),
                reason: Persistent::save(&ctx, reason),
            };
            shared.rejections.borrow_mut().push(rejection);
        }
    })
}

//! The commands, one file each: `Args` is what the command line says, `run` does it.
//!
//! A new command is a new file, a `mod` line, a variant of [`Command`] and an arm of [`Command::run`]. Its help is the
//! doc comment of its `Args`. Commands of one product beside the compiler are behind its feature.

pub(crate) mod analyze;
#[cfg(feature = "deploy")]
pub(crate) mod bicep_deploy;
#[cfg(feature = "deploy")]
pub(crate) mod bicep_what_if;
pub(crate) mod build;
pub(crate) mod build_params;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod console;
pub(crate) mod debug;
#[cfg(feature = "decompile")]
pub(crate) mod decompile;
#[cfg(feature = "decompile")]
pub(crate) mod decompile_params;
#[cfg(feature = "deploy")]
pub(crate) mod deploy;
pub(crate) mod diff;
#[cfg(feature = "docs")]
pub(crate) mod docs;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod external_inputs;
pub(crate) mod format;
#[cfg(feature = "generate")]
pub(crate) mod generate;
pub(crate) mod generate_params;
#[cfg(feature = "lsp")]
pub(crate) mod graph;
#[cfg(feature = "generate")]
pub(crate) mod init_project;
#[cfg(feature = "lsp")]
pub(crate) mod jsonrpc;
pub(crate) mod lint;
#[cfg(feature = "deploy")]
pub(crate) mod local_deploy;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
#[cfg(feature = "lsp")]
pub(crate) mod mcp;
pub(crate) mod outdated;
pub(crate) mod publish;
pub(crate) mod publish_extension;
pub(crate) mod restore;
pub(crate) mod rules;
#[cfg(feature = "generate")]
pub(crate) mod run;
pub(crate) mod self_install;
#[cfg(feature = "deploy")]
pub(crate) mod serve;
pub(crate) mod snapshot;
#[cfg(feature = "deploy")]
pub(crate) mod state;
#[cfg(feature = "deploy")]
pub(crate) mod teardown;
pub(crate) mod template_analyzer;
pub(crate) mod test;
#[cfg(feature = "generate")]
pub(crate) mod transform;
pub(crate) mod types;
pub(crate) mod upgrade;
#[cfg(feature = "generate")]
pub(crate) mod validate;
#[cfg(feature = "deploy")]
pub(crate) mod what_if;

use clap::Subcommand;

use crate::args::Deferred;
use crate::session::{Outcome, Session};

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Build(Deferred<build::Args>),
    BuildParams(Deferred<build_params::Args>),
    GenerateParams(Deferred<generate_params::Args>),
    #[cfg(feature = "decompile")]
    Decompile(Deferred<decompile::Args>),
    #[cfg(feature = "decompile")]
    DecompileParams(Deferred<decompile_params::Args>),
    #[cfg(feature = "docs")]
    Docs(Deferred<docs::Args>),
    #[command(name = "inputs")]
    ExternalInputs(Deferred<external_inputs::Args>),
    Format(Deferred<format::Args>),
    Lint(Deferred<lint::Args>),
    #[cfg(feature = "lsp")]
    Lsp(Deferred<lsp::Args>),
    #[cfg(feature = "lsp")]
    #[command(name = "jsonrpc")]
    JsonRpc(Deferred<jsonrpc::Args>),
    #[cfg(feature = "lsp")]
    Mcp(Deferred<mcp::Args>),
    Test(Deferred<test::Args>),
    Check(Deferred<check::Args>),
    Analyze(Deferred<analyze::Args>),
    Rules(Deferred<rules::Args>),
    Explain(Deferred<explain::Args>),
    Diff(Deferred<diff::Args>),
    #[cfg(feature = "lsp")]
    Graph(Deferred<graph::Args>),
    Outdated(Deferred<outdated::Args>),
    Upgrade(Deferred<upgrade::Args>),
    Restore(Deferred<restore::Args>),
    Publish(Deferred<publish::Args>),
    #[command(alias = "publish-provider")]
    PublishExtension(Deferred<publish_extension::Args>),
    Snapshot(Deferred<snapshot::Args>),
    Eval(Deferred<eval::Args>),
    Console(Deferred<console::Args>),
    #[cfg(feature = "generate")]
    Run(Deferred<run::Args>),
    #[cfg(feature = "generate")]
    Generate(Deferred<generate::Args>),
    #[cfg(feature = "generate")]
    Transform(Deferred<transform::Args>),
    #[cfg(feature = "generate")]
    Validate(Deferred<validate::Args>),
    #[cfg(feature = "deploy")]
    Deploy(Deferred<deploy::Args>),
    #[cfg(feature = "deploy")]
    WhatIf(Deferred<what_if::Args>),
    #[cfg(feature = "deploy")]
    LocalDeploy(Deferred<local_deploy::Args>),
    #[cfg(feature = "deploy")]
    Teardown(Deferred<teardown::Args>),
    #[cfg(feature = "deploy")]
    #[command(skip)]
    BicepDeploy(Deferred<bicep_deploy::Args>),
    #[cfg(feature = "deploy")]
    #[command(skip)]
    BicepWhatIf(Deferred<bicep_what_if::Args>),
    #[cfg(feature = "deploy")]
    State(Deferred<state::Args>),
    #[cfg(feature = "deploy")]
    Serve(Deferred<serve::Args>),
    #[cfg(feature = "generate")]
    #[command(name = "init")]
    InitProject(Deferred<init_project::Args>),
    Config(Deferred<config::Args>),
    Types(Deferred<types::Args>),
    #[command(name = "self")]
    SelfInstall(Deferred<self_install::Args>),
    Completions(Deferred<completions::Args>),
    #[command(skip)]
    TemplateAnalyzer(Box<template_analyzer::Args>),
    #[command(hide = true)]
    Debug(Deferred<debug::Args>),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, session: &Session) -> Outcome {
        match self {
            Self::Build(args) => build::run(&args, session),
            Self::BuildParams(args) => build_params::run(&args, session),
            Self::GenerateParams(args) => generate_params::run(&args, session),
            #[cfg(feature = "decompile")]
            Self::Decompile(args) => decompile::run(&args, session),
            #[cfg(feature = "decompile")]
            Self::DecompileParams(args) => decompile_params::run(&args, session),
            #[cfg(feature = "docs")]
            Self::Docs(args) => docs::run(&args, session),
            Self::ExternalInputs(args) => external_inputs::run(&args, session),
            Self::Format(args) => format::run(&args, session),
            Self::Lint(args) => lint::run(&args, session),
            #[cfg(feature = "lsp")]
            Self::Lsp(args) => lsp::run(&args, session),
            #[cfg(feature = "lsp")]
            Self::JsonRpc(args) => jsonrpc::run(&args, session),
            #[cfg(feature = "lsp")]
            Self::Mcp(args) => mcp::run(&args, session),
            Self::Test(args) => test::run(&args, session),
            Self::Check(args) => check::run(&args, session),
            Self::Analyze(args) => analyze::run(&args, session),
            Self::Rules(args) => rules::run(&args, session),
            Self::Explain(args) => explain::run(&args, session),
            Self::Diff(args) => diff::run(&args, session),
            #[cfg(feature = "lsp")]
            Self::Graph(args) => graph::run(&args, session),
            Self::Outdated(args) => outdated::run(&args, session),
            Self::Upgrade(args) => upgrade::run(&args, session),
            Self::Restore(args) => restore::run(&args, session),
            Self::Publish(args) => publish::run(&args, session),
            Self::PublishExtension(args) => publish_extension::run(&args, session),
            Self::Snapshot(args) => snapshot::run(&args, session),
            Self::Eval(args) => eval::run(&args, session),
            Self::Console(args) => console::run(&args, session),
            #[cfg(feature = "generate")]
            Self::Run(args) => run::run(&args, session),
            #[cfg(feature = "generate")]
            Self::Generate(args) => generate::run(&args, session),
            #[cfg(feature = "generate")]
            Self::Transform(args) => transform::run(&args, session),
            #[cfg(feature = "generate")]
            Self::Validate(args) => validate::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::Deploy(args) => deploy::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::WhatIf(args) => what_if::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::LocalDeploy(args) => local_deploy::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::Teardown(args) => teardown::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::BicepDeploy(args) => bicep_deploy::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::BicepWhatIf(args) => bicep_what_if::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::State(args) => state::run(&args, session),
            #[cfg(feature = "deploy")]
            Self::Serve(args) => serve::run(&args, session),
            #[cfg(feature = "generate")]
            Self::InitProject(args) => init_project::run(&args, session),
            Self::Config(args) => config::run(&args, session),
            Self::Types(args) => types::run(&args, session),
            Self::Completions(args) => completions::run(&args, session),
            Self::SelfInstall(args) => self_install::run(&args, session),
            Self::TemplateAnalyzer(args) => template_analyzer::run(&args, session),
            Self::Debug(args) => debug::run(&args, session),
        }
    }
}

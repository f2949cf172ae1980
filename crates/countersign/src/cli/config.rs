//! `countersign config`: the settings and where they come from.

use countersign_engine::config::{self, DEFAULT, Origin, PROJECT_FILE};
use countersign_engine::{Engine, Error};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};

/// Show the settings, where they come from, and what there is to set.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List every setting with its value and where it comes from.
    Show,
    /// Say where the configuration files are.
    Path,
    /// Print the JSON Schema of the configuration file.
    Schema,
    /// Print the reference: every setting with its default and its meaning.
    Default,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let root = Engine::root(&cx.host);
    match args.verb {
        Verb::Show => {
            let resolved = config::resolve(&cx.host, root.as_deref())?;
            let human: String = resolved
                .values
                .iter()
                .map(|(key, (value, origin))| {
                    let origin = ui::paint(ui::DIM, format!("# {}", from(origin)));
                    format!("{key} = {value}  {origin}\n")
                })
                .collect();
            let data: serde_json::Map<String, serde_json::Value> = resolved
                .values
                .iter()
                .map(|(key, (value, origin))| {
                    Ok((key.clone(), json!({ "value": value, "origin": origin })))
                })
                .collect::<Result<_, Error>>()?;
            Reply::new(data, human)
        }
        Verb::Path => {
            let user = cx.host.home()?.config.display().to_string();
            let project = root.map(|root| root.join(PROJECT_FILE).display().to_string());
            let shown = project.as_deref().unwrap_or("(not in a repository)");
            let human = format!("user     {user}\nproject  {shown}\n");
            Reply::new(json!({ "user": user, "project": project }), human)
        }
        Verb::Schema => {
            let schema = config::schema();
            let human = serde_json::to_string_pretty(&schema)?;
            Reply::new(schema, human)
        }
        Verb::Default => Reply::new(json!({ "toml": DEFAULT }), DEFAULT),
    }
}

fn from(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".into(),
        Origin::User(path) | Origin::Project(path) => path.display().to_string(),
        Origin::Environment(name) => format!("${name}"),
    }
}

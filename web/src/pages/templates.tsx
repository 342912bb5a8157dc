import { parseExact } from "@workflow-ui/forms";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useToolData } from "../api/queries.ts";
import { toolData } from "../api/rpc.ts";
import { count, words } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { exampleInputs } from "../runs/example-inputs.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Filters } from "../ui/filters.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";

const Canvas = lazy(() => import("../workflow/canvas.tsx").then((module) => ({ default: module.Canvas })));

/** Working graphs to start from. */
export function TemplatesPage() {
  const templates = useToolData("list_templates", { limit: 100 });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [tag, setTag] = useState("");
  const [ready, setReady] = useState(false);
  const integrations = useToolData("list_integrations", {});
  const configured = new Set(
    integrations.data?.integrations.filter(({ configured: isSet }) => isSet).map(({ slug }) => slug),
  );
  return (
    <Page
      title="Templates"
      lead="Working graphs to start from. Look at one without a key; make a workflow of it with one."
    >
      <Load query={templates}>
        {(data) => {
          const all = bagsAt(data, "templates");
          const tags = [...new Set(all.flatMap((item) => textsAt(item, "tags")))].toSorted();
          const list = all.filter(
            (item) =>
              (tag === "" || textsAt(item, "tags").includes(tag)) &&
              (!ready || missingOf(item, configured).length === 0) &&
              matches(item, query),
          );
          if (all.length === 0)
            return (
              <Panel>
                <Empty icon={<LayoutTemplate />} title="No templates" />
              </Panel>
            );
          return (
            <>
              <div className="mb-4 flex flex-wrap items-center gap-3">
                <input
                  data-page-search
                  type="search"
                  aria-label="Search templates"
                  placeholder="Search by name or what it does"
                  value={query}
                  onChange={(event) => setQuery(event.target.value)}
                  className="field-control max-w-96"
                />
                <Filters used={(tag === "" ? 0 : 1) + (ready ? 1 : 0)} found={count(list.length, "template")}>
                  {() => (
                    <>
                      <select
                        aria-label="Category"
                        value={tag}
                        onChange={(event) => setTag(event.target.value)}
                        className="field-control w-auto"
                      >
                        <option value="">All categories</option>
                        {tags.map((name) => (
                          <option key={name} value={name}>
                            {words(name)}
                          </option>
                        ))}
                      </select>
                      <label className="flex min-h-6 items-center gap-2">
                        <input
                          type="checkbox"
                          checked={ready}
                          onChange={(event) => setReady(event.target.checked)}
                        />
                        Works here without other services
                      </label>
                    </>
                  )}
                </Filters>
              </div>
              {list.length === 0 ? (
                <p className="p-6 text-center text-ink-2">No template fits. Search for something else.</p>
              ) : null}
              <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {list.map((template) => (
                  <li key={textAt(template, "id")} className="panel flex flex-col p-4">
                    <h2 className="font-semibold">{textAt(template, "name", textAt(template, "title"))}</h2>
                    <p className="mt-1 flex-1 text-ink-2">{textAt(template, "description")}</p>
                    <p className="mt-2 text-sm text-ink-3">
                      {count(numberAt(template, "steps") ?? 0, "step")}
                      {textsAt(template, "tags").length === 0
                        ? ""
                        : ` · ${textsAt(template, "tags").join(", ")}`}
                    </p>
                    <div className="mt-2 flex flex-wrap gap-1">
                      <Needs template={template} configured={configured} />
                    </div>
                    <div className="mt-3 flex gap-2">
                      <Button
                        size="sm"
                        onClick={() =>
                          void navigate({ to: "/templates", search: { id: textAt(template, "id") } })
                        }
                      >
                        Look inside
                      </Button>
                      <Use template={template} />
                    </div>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Load>
      <Inside id={search.id ?? ""} onClose={() => void navigate({ to: "/templates", search: {} })} />
    </Page>
  );
}

/** The services that a template needs and that are not set up here. */
function missingOf(template: Bag, configured: ReadonlySet<string>): readonly string[] {
  return textsAt(template, "needs").filter((name) => !configured.has(name));
}

function matches(template: Bag, query: string): boolean {
  const text = `${textAt(template, "name")} ${textAt(template, "description")} ${textsAt(template, "tags").join(" ")}`;
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
}

function Needs({
  template,
  configured,
}: {
  readonly template: Bag;
  readonly configured: ReadonlySet<string>;
}) {
  const needs = textsAt(template, "needs");
  if (needs.length === 0) return <Badge tone="good">works here as it is</Badge>;
  return needs.map((name) => (
    <Badge
      key={name}
      tone={configured.has(name) ? "good" : "warn"}
      title={configured.has(name) ? "This service is set up" : "This service is not set up here"}
    >
      needs {words(name)}
      {configured.has(name) ? "" : ": not set up"}
    </Badge>
  ));
}

function Use({ template }: { readonly template: Bag }) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const use = async () => {
    setBusy(true);
    try {
      const made = await track("Make a workflow from a template", (signal) =>
        toolData("instantiate_template", { templateId: textAt(template, "id") }, { signal }),
      );
      const id = textAt(made, ["workflow", "id"], textAt(made, "id"));
      const found = await toolData("get_template", { id: textAt(template, "id") });
      const example = at(found, "template", "exampleInputs");
      if (isBag(example)) exampleInputs.set(id, parseExact(JSON.stringify(example)));
      toast("good", "Workflow created", "Its inputs are filled in with an example when you run it.");
      void navigate({ to: "/workflows/$id", params: { id } });
    } catch (error) {
      toast("bad", "No workflow was made", error instanceof Error ? error.message : "");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" look="primary" busy={busy} onClick={() => void use()}>
      Use it
    </Button>
  );
}

function Inside({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const template = useToolData("get_template", { id }, { enabled: id !== "" });
  const record = at(template.data, "template");
  const shown = isBag(record) ? record : (template.data ?? {});
  const inner = at(shown, "document");
  const document = isBag(inner) ? inner : shown;
  return (
    <Dialog
      open={id !== ""}
      onClose={onClose}
      title={textAt(shown, "name", "Template")}
      description={textAt(shown, "description")}
      className="sm:w-[min(60rem,calc(100vw-2rem))]"
      footer={id === "" ? undefined : <Use template={{ id }} />}
      reading
    >
      <Load query={template}>
        {() => (
          <>
            <p className="mb-2 text-sm text-ink-2">{count(bagsAt(document, "nodes").length, "step")}</p>
            <div className="h-96 rounded-lg border border-line">
              <Suspense>
                <Canvas
                  nodes={bagsAt(document, "nodes")}
                  edges={bagsAt(document, "edges")}
                  ui={bagAt(document, "ui")}
                />
              </Suspense>
            </div>
            <h3 className="mt-4 mb-1 font-semibold">Inputs to try it with</h3>
            <DataView value={at(shown, "exampleInputs") ?? {}} />
          </>
        )}
      </Load>
    </Dialog>
  );
}

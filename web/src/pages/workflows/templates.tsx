import type { OutputOf } from "@workflow-ui/client";
import { parseExact } from "@workflow-ui/forms";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { call, useOperation } from "../../api/operations.ts";
import { count, words } from "../../lib/format.ts";
import { exampleInputs } from "../../runs/example-inputs.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { createProposed } from "../triggers/proposed.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Select } from "../../ui/fields.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { useAction } from "../../lib/use-action.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";

const Canvas = lazy(() =>
  import("../../workflow/canvas/canvas.tsx").then((module) => ({ default: module.Canvas })),
);

/** Few categories over the many tags of the templates. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  "Forms and requests": ["forms", "webhooks", "openapi"],
  Approvals: ["approval"],
  "Documents and content": ["docs", "artifacts"],
  "Quality and release": ["release", "quality", "tools"],
  "Audit and policy": ["audit", "policy", "retention"],
  "Many items": ["map"],
};

/** Ready-made workflows to start from. */
export function TemplatesPage() {
  const templates = useOperation("list_templates", { limit: 100 });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [category, setCategory] = useState("");
  const [ready, setReady] = useState(false);
  const services = useOperation("list_integrations", {}).data?.integrations ?? [];
  return (
    <Page title="Templates" lead="Ready-made workflows to start from.">
      <Load query={templates}>
        {(data) => {
          const all = data.templates;
          const list = all.filter(
            (item) =>
              (category === "" || item.tags.some((tag) => CATEGORIES[category]?.includes(tag))) &&
              (!ready || missingOf(item, services).length === 0) &&
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
                <Filters
                  used={(category === "" ? 0 : 1) + (ready ? 1 : 0)}
                  found={count(list.length, "template")}
                >
                  {() => (
                    <>
                      <Select
                        aria-label="Category"
                        look="w-auto"
                        value={category}
                        options={[{ value: "", label: "All categories" }, ...Object.keys(CATEGORIES)]}
                        onChoose={setCategory}
                      />
                      <CheckField
                        label="Works here without other services"
                        checked={ready}
                        onCheck={setReady}
                      />
                    </>
                  )}
                </Filters>
              </div>
              {list.length === 0 ? (
                <p className="p-6 text-center text-ink-2">No template fits. Search for something else.</p>
              ) : null}
              <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {list.map((template) => (
                  <li key={template.id} className="panel flex flex-col p-4">
                    <h2 className="font-semibold">{template.name}</h2>
                    <p className="mt-1 flex-1 text-ink-2">{template.description}</p>
                    <p className="mt-2 text-sm text-ink-3">
                      {count(template.steps, "step")}
                      {template.tags.length === 0 ? "" : ` · ${template.tags.join(", ")}`}
                    </p>
                    <div className="mt-2 flex flex-wrap gap-1">
                      <Needs template={template} services={services} />
                    </div>
                    <div className="mt-3 flex gap-2">
                      <Button
                        size="sm"
                        onClick={() => void navigate({ to: "/templates", search: { id: template.id } })}
                      >
                        Preview
                      </Button>
                      <Use id={template.id} />
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

type Template = OutputOf<"list_templates">["templates"][number];
type Services = OutputOf<"list_integrations">["integrations"];

/** The services that a template needs and that are not set up here. */
function missingOf(template: Template, services: Services): readonly string[] {
  return template.needs.filter((name) => !services.some((one) => one.slug === name && one.configured));
}

function matches(template: Template, query: string): boolean {
  const text = `${template.name} ${template.description} ${template.tags.join(" ")}`;
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
}

function Needs({ template, services }: { readonly template: Template; readonly services: Services }) {
  const { needs } = template;
  if (needs.length === 0) return <Badge tone="good">works here as it is</Badge>;
  const missing = missingOf(template, services);
  return needs.map((name) => (
    <Badge
      key={name}
      tone={missing.includes(name) ? "warn" : "neutral"}
      title={missing.includes(name) ? "This service is not set up here" : "This service is set up"}
    >
      needs {services.find(({ slug }) => slug === name)?.title ?? words(name)}
      {missing.includes(name) ? ": not set up" : ""}
    </Badge>
  ));
}

function Use({ id, look = "secondary" }: { readonly id: string; readonly look?: "primary" | "secondary" }) {
  const navigate = useNavigate();
  const use = useAction({
    title: "Create a workflow from a template",
    failed: "No workflow was created",
    run: async (_, signal) => {
      const { workflow } = await call("instantiate_template", { templateId: id }, { signal });
      const { template } = await call("get_template", { id }, { signal });
      await createProposed(workflow.id, template.triggers);
      exampleInputs.set(workflow.id, parseExact(JSON.stringify(template.exampleInputs)));
      return workflow;
    },
    done: (workflow) => {
      void navigate({ to: "/workflows/$id", params: { id: workflow.id } });
      return "Workflow created. Its inputs are filled in with an example when you run it.";
    },
  });
  return (
    <ButtonFor
      op="instantiate_template"
      size="sm"
      look={look}
      busy={use.isPending}
      onClick={() => use.mutate()}
    >
      Use it
    </ButtonFor>
  );
}

function Inside({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const template = useOperation("get_template", { id }, { enabled: id !== "" });
  return (
    <Dialog
      open={id !== ""}
      onClose={onClose}
      title={template.data?.template.name ?? "Template"}
      description={template.data?.template.description ?? ""}
      className="sm:w-[min(60rem,calc(100vw-2rem))]"
      footer={id === "" ? undefined : <Use id={id} look="primary" />}
      reading
    >
      <Load query={template}>
        {({ template: shown }) => (
          <>
            <p className="mb-2 text-sm text-ink-2">{count(shown.nodes.length, "step")}</p>
            <div className="h-96 rounded-lg border border-line">
              <Suspense>
                <Canvas {...graphOf(shown)} />
              </Suspense>
            </div>
            <h3 className="mt-4 mb-1 font-semibold">Example inputs</h3>
            <DataView value={shown.exampleInputs} />
          </>
        )}
      </Load>
    </Dialog>
  );
}

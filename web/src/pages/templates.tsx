import { useNavigate, useSearch } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useToolData } from "../api/queries.ts";
import { toolData } from "../api/rpc.ts";
import { count } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";

const Canvas = lazy(() => import("../workflow/canvas.tsx").then((module) => ({ default: module.Canvas })));

/** Working graphs to start from. */
export function TemplatesPage() {
  const templates = useToolData("list_templates", { limit: 100 });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <Page
      title="Templates"
      lead="Working graphs to start from. Look at one without a key; make a workflow of it with one."
    >
      <Load query={templates}>
        {(data) => {
          const list = bagsAt(data, "templates");
          if (list.length === 0)
            return (
              <Panel>
                <Empty icon={<LayoutTemplate />} title="No templates" />
              </Panel>
            );
          return (
            <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {list.map((template) => (
                <li key={textAt(template, "id")} className="panel flex flex-col p-4">
                  <h2 className="font-semibold">{textAt(template, "name", textAt(template, "title"))}</h2>
                  <p className="mt-1 flex-1 text-ink-2">{textAt(template, "description")}</p>
                  <div className="mt-3 flex flex-wrap gap-1">
                    {textsAt(template, "tags").map((tag) => (
                      <Badge key={tag}>{tag}</Badge>
                    ))}
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
          );
        }}
      </Load>
      <Inside id={search.id ?? ""} onClose={() => void navigate({ to: "/templates", search: {} })} />
    </Page>
  );
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
      toast("good", "Workflow created");
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
          </>
        )}
      </Load>
    </Dialog>
  );
}

import type { WorkflowSummary } from "@workflow-ui/client";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileInput, FilePlus2, LayoutTemplate, Waypoints } from "lucide-react";
import { useState } from "react";
import { MOST_CHOICES, useCallerNames, useWorkflows } from "../../api/names.ts";
import { useMay } from "../../api/rights.ts";
import { ago, count } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor, For } from "../../ui/button-for.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { ImportDialog } from "../../workflow/document/import-dialog.tsx";
import { WorkflowActions } from "./workflow-actions.tsx";
import { Select } from "../../ui/fields.tsx";

/** How large it is, whose it is, who made and changed it, and what it is for. */
function subOf(item: WorkflowSummary, nameOf: (id: string) => string): string {
  const { steps, owner } = item;
  const maker = nameOf(item.createdBy ?? "");
  const changer = nameOf(item.updatedBy ?? "");
  return [
    steps === undefined ? "" : count(steps, "step"),
    owner ? `owner ${owner}` : "",
    maker === "" ? "" : `created by ${maker}`,
    `changed ${ago(item.updatedAt)}${changer === "" ? "" : ` by ${changer}`}`,
    item.description,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Every workflow this session may see. */
export function WorkflowsPage() {
  const workflows = useWorkflows();
  const nameOf = useCallerNames();
  const [query, setQuery] = useState("");
  const [tag, setTag] = useState("");
  const [show, setShow] = useState<"current" | "archived">("current");
  const mayChange = useMay("update_workflow");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const showImport = (show: boolean) =>
    void navigate({ to: "/workflows", replace: true, search: show ? { import: "open" } : {} });
  return (
    <Page
      title="Workflows"
      lead="Chain tools into a graph, put people where it matters, and see every mistake before anything runs."
      actions={
        <>
          <Link to="/templates" className={buttonClass()}>
            <LayoutTemplate /> Templates
          </Link>
          <ButtonFor op="create_workflow" onClick={() => showImport(true)}>
            <FileInput /> Import
          </ButtonFor>
          <For op="create_workflow">
            <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass("primary")}>
              <FilePlus2 /> New workflow
            </Link>
          </For>
        </>
      }
    >
      <ImportDialog open={search.import === "open"} onClose={() => showImport(false)} />
      <Panel flush>
        <Load query={workflows}>
          {({ items: all, isCut }) => {
            const tags = [...new Set(all.flatMap((item) => item.tags))].toSorted();
            const archived = all.filter((item) => item.status === "archived").length;
            const list = all.filter(
              (item) =>
                (item.status === "archived") === (show === "archived") &&
                (tag === "" || item.tags.includes(tag)) &&
                `${item.name} ${item.description} ${item.tags.join(" ")}`
                  .toLowerCase()
                  .includes(query.toLowerCase()),
            );
            if (all.length === 0) {
              return (
                <Empty
                  icon={<Waypoints />}
                  title="No workflows yet"
                  action={
                    <>
                      <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass("primary")}>
                        Build one
                      </Link>
                      <Link to="/templates" className={buttonClass()}>
                        Start from a template
                      </Link>
                      <Button onClick={() => showImport(true)}>Import one</Button>
                    </>
                  }
                >
                  Guests see what is published for everybody. A draft can be built, checked and planned
                  without an account.
                </Empty>
              );
            }
            return (
              <>
                <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">
                  <input
                    data-page-search
                    type="search"
                    aria-label="Search workflows"
                    placeholder="Search by name, description or tag"
                    value={query}
                    onChange={(event) => setQuery(event.target.value)}
                    className="field-control max-w-96"
                  />
                  {tags.length === 0 && archived === 0 && show === "current" ? null : (
                    <Filters
                      used={(tag === "" ? 0 : 1) + (show === "current" ? 0 : 1)}
                      found={count(list.length, "workflow")}
                    >
                      {() => (
                        <>
                          {tags.length === 0 ? null : (
                            <Select
                              aria-label="Tag"
                              look="w-auto max-w-48"
                              value={tag}
                              options={[{ value: "", label: "All tags" }, ...tags]}
                              onChoose={setTag}
                            />
                          )}
                          {archived === 0 && show === "current" ? null : (
                            <Segmented
                              label="Which workflows"
                              value={show}
                              onChange={setShow}
                              options={[
                                { value: "current", label: "Current" },
                                { value: "archived", label: `Archived (${archived})` },
                              ]}
                            />
                          )}
                        </>
                      )}
                    </Filters>
                  )}
                </div>
                <RowList>
                  {list.map((item) => (
                    <Row
                      key={item.id}
                      link={{ to: "/workflows/$id", params: { id: item.id } }}
                      title={item.name}
                      sub={subOf(item, nameOf)}
                      end={
                        <span className="flex items-center gap-1.5">
                          <span className="flex gap-1 max-sm:hidden">
                            {item.tags.slice(0, 3).map((tag) => (
                              <Badge key={tag}>{tag}</Badge>
                            ))}
                          </span>
                          <StateBadge state={item.status} />
                        </span>
                      }
                      actions={mayChange ? <WorkflowActions workflow={item} /> : undefined}
                    />
                  ))}
                </RowList>
                {isCut ? (
                  <p className="border-t border-line p-3 text-sm text-ink-2">
                    These are the newest {count(MOST_CHOICES, "workflow")}.
                  </p>
                ) : null}
                {list.length === 0 ? (
                  <p className="p-6 text-center text-ink-2">
                    {query === ""
                      ? "No workflow is listed under this choice."
                      : `Nothing matches “${query}”.`}
                  </p>
                ) : null}
              </>
            );
          }}
        </Load>
      </Panel>
    </Page>
  );
}

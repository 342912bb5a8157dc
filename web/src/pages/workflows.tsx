import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileInput, FilePlus2, LayoutTemplate, Waypoints } from "lucide-react";
import { useState } from "react";
import { useToolData } from "../api/queries.ts";
import { ago, count } from "../lib/format.ts";
import { bagsAt, listAt, numberAt, textAt, textsAt } from "../lib/read.ts";
import { Load } from "../shell/states.tsx";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Row, RowList } from "../ui/rows.tsx";
import { ImportDialog } from "../workflow/import-dialog.tsx";
import { stateOf } from "./records.ts";

/** Every workflow this session may see. */
export function WorkflowsPage() {
  const workflows = useToolData("list_workflows", { limit: 100 });
  const [query, setQuery] = useState("");
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
          <Button onClick={() => showImport(true)}>
            <FileInput /> Import
          </Button>
          <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass("primary")}>
            <FilePlus2 /> New workflow
          </Link>
        </>
      }
    >
      <ImportDialog open={search.import === "open"} onClose={() => showImport(false)} />
      <Panel flush>
        <Load query={workflows}>
          {(data) => {
            const all = bagsAt(data, "workflows");
            const list = all.filter((item) =>
              `${textAt(item, "name")} ${textAt(item, "description")} ${textsAt(item, "tags").join(" ")}`
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
                        Draw one
                      </Link>
                      <Link to="/templates" className={buttonClass()}>
                        Start from a template
                      </Link>
                      <Button onClick={() => showImport(true)}>Import one</Button>
                    </>
                  }
                >
                  Without a key only published public workflows are listed. A draft can be drawn, checked and
                  planned without one.
                </Empty>
              );
            }
            return (
              <>
                <div className="border-b border-line p-3">
                  <input
                    data-page-search
                    type="search"
                    aria-label="Search workflows"
                    placeholder="Search by name, description or tag"
                    value={query}
                    onChange={(event) => setQuery(event.target.value)}
                    className="field-control max-w-96"
                  />
                </div>
                <RowList>
                  {list.map((item) => (
                    <Row
                      key={textAt(item, "id")}
                      link={{ to: "/workflows/$id", params: { id: textAt(item, "id") } }}
                      title={textAt(item, "name")}
                      sub={`${textAt(item, "description") === "" ? count(numberAt(item, "nodeCount") ?? listAt(item, "nodes").length, "step") : textAt(item, "description")} · changed ${ago(textAt(item, "updatedAt"))}`}
                      end={
                        <span className="flex items-center gap-1.5">
                          <span className="flex gap-1 max-sm:hidden">
                            {textsAt(item, "tags")
                              .slice(0, 3)
                              .map((tag) => (
                                <Badge key={tag}>{tag}</Badge>
                              ))}
                          </span>
                          <StateBadge state={stateOf(item)} />
                        </span>
                      }
                    />
                  ))}
                </RowList>
                {list.length === 0 ? (
                  <p className="p-6 text-center text-ink-2">Nothing matches “{query}”.</p>
                ) : null}
              </>
            );
          }}
        </Load>
      </Panel>
    </Page>
  );
}

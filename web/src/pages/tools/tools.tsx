import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, KeyRound, Search, Wrench } from "lucide-react";
import { lazy, Suspense, useDeferredValue, useEffect, useMemo } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { useNeed, useRefusal } from "../../api/rights.ts";
import { count } from "../../lib/format.ts";
import { Load, Loading } from "../../shell/states.tsx";
import { Empty } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { isAlias, TASKS, toolGroup } from "./tool-groups.ts";
import { useTools, type ToolInfo } from "../../api/tools.ts";

const loadPanel = () => import("./tool-panel.tsx").then((module) => ({ default: module.ToolPanel }));
const ToolPanel = lazy(loadPanel);

/** Every tool: find it on the left, operate it on the right. */
export function ToolsPage() {
  const read = useTools();
  const tools = { ...read, data: useDeferredValue(read.data) };
  const { name } = useParams({ strict: false });
  useEffect(() => {
    if (name === undefined) document.title = "Tools · Workflow-UI";
    // While the list is read, not after it.
    else loadPanel().catch(() => undefined);
  }, [name]);
  return (
    <div className="lg:grid lg:h-[calc(100dvh-3rem)] lg:grid-cols-[19.5rem_minmax(0,1fr)]">
      <div
        className={cx(
          "min-h-0 border-line lg:flex lg:flex-col lg:border-r",
          name !== undefined && "max-lg:hidden",
        )}
      >
        <Load query={tools}>{(list) => <ToolList tools={list} chosen={name} />}</Load>
      </div>
      <div className={cx("min-h-0 scroll-y", name === undefined && "max-lg:hidden")}>
        {name === undefined ? (
          <div className="grid h-full place-items-center">
            <Empty icon={<Wrench />} title="Choose a tool">
              Each one is a form made from its schema: fill it in, see what will be sent, run it, keep the
              result.
            </Empty>
          </div>
        ) : (
          <>
            <Link to="/tools" className="flex items-center gap-1.5 px-4 pt-4 text-sm text-ink-2 lg:hidden">
              <ArrowLeft aria-hidden className="size-4" /> All tools
            </Link>
            <Suspense fallback={<Loading />}>
              <Load query={tools}>
                {(list) => (
                  <ToolPanel key={name} tool={list.find((tool) => tool.name === name)} name={name} />
                )}
              </Load>
            </Suspense>
          </>
        )}
      </div>
    </div>
  );
}

const NO_GROUPS: ReadonlyMap<string, readonly ToolInfo[]> = new Map();
const SHOWS = ["all", "public", "protected", "synced"] as const;

function ToolList({
  tools,
  chosen,
}: {
  readonly tools: readonly ToolInfo[];
  readonly chosen: string | undefined;
}) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = search.q ?? "";
  const show = SHOWS.find((item) => item === search.show) ?? "all";
  const wanted = useDeferredValue(query);
  const need = useNeed();
  const refusal = useRefusal();
  const groups = useMemo((): typeof NO_GROUPS => {
    const found = tools.filter(
      (tool) =>
        matches(tool, wanted) &&
        (wanted !== "" || !isAlias(tool)) &&
        (show === "all" ||
          (show === "synced" ? tool.server !== "" : tool.isProtected === (show === "protected"))),
    );
    const groups = Map.groupBy(found, (tool) => toolGroup(tool.name));
    return new Map(
      TASKS.flatMap((task) => (groups.has(task) ? [[task, groups.get(task) ?? []] as const] : [])),
    );
  }, [tools, wanted, show]);
  // A hundred links are drawn in pieces, after the form that a person came for.
  const shown = useDeferredValue(groups, NO_GROUPS);
  const isDrawn = shown !== NO_GROUPS;
  useEffect(() => {
    if (chosen === undefined || !isDrawn) return;
    // The link is marked as active a frame after the address changes.
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        document
          .querySelector('[data-tool-list] [data-status="active"]')
          ?.scrollIntoView({ block: "nearest" }),
      ),
    );
    return () => cancelAnimationFrame(frame);
  }, [chosen, isDrawn]);
  const total = [...groups.values()].reduce((sum, group) => sum + group.length, 0);
  const keep = (change: { readonly q?: string; readonly show?: string }) => {
    const next = { q: query, show, ...change };
    void navigate({
      to: ".",
      replace: true,
      search: (before) => ({
        ...before,
        q: next.q === "" ? undefined : next.q,
        show: next.show === "all" ? undefined : next.show,
      }),
    });
  };
  return (
    <>
      <div className="space-y-2.5 border-b border-line p-3">
        <h1 className="flex items-baseline gap-2 px-1 text-lg font-semibold">
          Tools <span className="text-sm font-normal text-ink-3">{count(total, "tool")}</span>
        </h1>
        <div className="relative">
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-ink-3" />
          <input
            type="search"
            data-page-search
            aria-label="Search tools"
            placeholder="Search by name or what it does"
            value={query}
            onChange={(event) => keep({ q: event.target.value })}
            className="field-control pl-8"
          />
        </div>
        <Segmented
          label="Which tools"
          value={show}
          onChange={(next) => keep({ show: next })}
          options={[
            { value: "all", label: "All" },
            { value: "public", label: "Public" },
            { value: "protected", label: need === "sign-in" ? "Need sign-in" : "Protected" },
            ...(show === "synced" || tools.some((tool) => tool.server !== "")
              ? [{ value: "synced" as const, label: "Synced" }]
              : []),
          ]}
        />
      </div>
      <div data-tool-list className="min-h-0 flex-1 scroll-y p-2" tabIndex={-1}>
        {total === 0 ? (
          <p className="px-2 py-6 text-center text-ink-2">No tool matches “{query}”.</p>
        ) : (
          [...shown].map(([group, list]) => (
            <section key={group} aria-label={group} className="mb-3">
              <h2 className="px-2 py-1 text-2xs font-semibold tracking-wide text-ink-3">{group}</h2>
              <ul>
                {list.map((tool) => (
                  <li key={tool.name}>
                    <Link
                      to="/tools/$name"
                      params={{ name: tool.name }}
                      search={(before) => ({ q: before.q, show: before.show })}
                      className="flex min-h-8 items-center gap-2 rounded-[7px] px-2 py-1 hover:bg-hover data-[status=active]:bg-accent-soft data-[status=active]:text-accent-ink"
                    >
                      <span className="min-w-0 flex-1">
                        <span className="block truncate font-medium">{tool.title}</span>
                        <span className="block truncate font-mono text-2xs text-ink-3">{tool.name}</span>
                      </span>
                      {tool.isProtected ? (
                        <span title={refusal(tool.name) || `Needs ${need}`} className="text-ink-3">
                          <KeyRound aria-hidden className="size-3.5" />
                          <span className="sr-only">needs {need}</span>
                        </span>
                      ) : null}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))
        )}
      </div>
    </>
  );
}

/** Every word of the query occurs in the name, the title or the description. */
function matches(tool: ToolInfo, query: string): boolean {
  const text = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

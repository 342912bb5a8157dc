import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import type MiniSearch from "minisearch";
import { Fragment, useEffect, type ReactNode } from "react";
import { groups, pages, sections } from "../../docs/content.ts";
import type { Block, DocSection, Inline } from "../../docs/model.ts";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Load, NotFound } from "../../shell/states.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";

const MOST_HITS = 20;
const MOST_SHOWN = 160;

/** The documentation: its contents, a page of it, or what a search finds in it. */
export function DocsPage() {
  const { _splat: path = "" } = useParams({ strict: false });
  const { q = "" } = useSearch({ strict: false });
  const load = pages[path.toLowerCase()];
  const query = useQuery({
    queryKey: ["docs", path],
    queryFn: async () => (load === undefined ? null : (await load()).default),
    staleTime: Infinity,
  });
  const hash = useRouterState({ select: ({ location }) => location.hash });
  useEffect(() => {
    // The page arrives after its address, so the browser has not found the heading.
    if (query.isSuccess && hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [query.isSuccess, hash, path]);
  if (load === undefined) return <NotFound />;
  return (
    <Load query={query}>
      {(page) =>
        page === null ? (
          <NotFound />
        ) : (
          <Page title={page.title}>
            <div className="grid items-start gap-x-8 gap-y-4 lg:grid-cols-[13rem_minmax(0,1fr)]">
              <Contents current={path} searched={q} />
              {q.trim() === "" ? (
                <article className="min-w-0 space-y-3">
                  {page.blocks.map((block, at) => (
                    <Fragment key={at}>{drawn(block)}</Fragment>
                  ))}
                </article>
              ) : (
                <Hits q={q} />
              )}
            </div>
          </Page>
        )
      }
    </Load>
  );
}

function Contents({ current, searched }: { readonly current: string; readonly searched: string }) {
  const navigate = useNavigate();
  const search = (q: string): void =>
    void navigate({
      to: "/docs/$",
      params: { _splat: current },
      search: q === "" ? {} : { q },
      replace: true,
    });
  const lists = groups.map(({ title, pages }) => (
    <div key={title}>
      <p className="mt-3 mb-1 font-semibold">{title}</p>
      <ul>
        {pages.map(({ path, title }) => (
          <li key={path}>
            <PageLink
              to={path}
              className={cx(
                "block rounded-md px-2 py-1 hover:bg-hover",
                path === current && searched === "" ? "bg-hover font-medium" : "text-ink-2",
              )}
            >
              {title}
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  ));
  return (
    <div className="min-w-0 text-sm lg:sticky lg:top-16 lg:max-h-[calc(100dvh-5rem)] lg:scroll-y">
      <InputField label="Search the documentation" type="search" value={searched} onText={search} />
      <nav aria-label="Contents of the documentation" className="hidden lg:block">
        {lists}
      </nav>
      <details className="mt-2 lg:hidden">
        <summary className="py-1 font-medium">Contents</summary>
        {lists}
      </details>
    </div>
  );
}

/** The index is made from the text of all pages when the first search asks for it. */
async function makeIndex(): Promise<{ find: MiniSearch<DocSection>; by: ReadonlyMap<string, DocSection> }> {
  const [{ default: Search }, { default: all }] = await Promise.all([import("minisearch"), sections()]);
  const find = new Search<DocSection>({
    fields: ["heading", "title", "text"],
    searchOptions: { boost: { heading: 4, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  find.addAll(all);
  return { find, by: new Map(all.map((section) => [section.id, section])) };
}

function Hits({ q }: { readonly q: string }) {
  const query = useQuery({ queryKey: ["docs search"], queryFn: makeIndex, staleTime: Infinity });
  return (
    <Load query={query}>
      {({ find, by }) => {
        const hits = find.search(q).slice(0, MOST_HITS);
        return (
          <section aria-label="Found in the documentation" className="min-w-0">
            <p role="status" className="mb-2 text-ink-2">
              {hits.length === 0
                ? ""
                : `${hits.length === MOST_HITS ? "The best " : ""}${hits.length} ${hits.length === 1 ? "place" : "places"}`}
            </p>
            {hits.length === 0 ? <Empty title={`Nothing is found for “${q}”`} /> : null}
            <ul className="space-y-3">
              {hits.map(({ id }) => {
                const hit = by.get(String(id));
                return hit === undefined ? null : (
                  <li key={hit.id}>
                    <PageLink to={hit.id} className="block py-0.5 font-medium text-accent-ink underline">
                      {hit.title}
                      {hit.heading === hit.title ? null : (
                        <>
                          :{" "}
                          {/^[a-z]+(_[a-z]+)+$/.test(hit.heading) ? <code>{hit.heading}</code> : hit.heading}
                        </>
                      )}
                    </PageLink>
                    <code className="block font-sans text-sm break-words text-ink-2">
                      {around(hit.text, q)}
                    </code>
                  </li>
                );
              })}
            </ul>
          </section>
        );
      }}
    </Load>
  );
}

/** The part of a text where the first word of a search is. */
function around(text: string, q: string): string {
  const [word = ""] = q.trim().toLowerCase().split(/\s/, 1);
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${at > 0 ? "… " : ""}${text.slice(at, at + MOST_SHOWN)}${text.length > at + MOST_SHOWN ? " …" : ""}`;
}

function PageLink({
  to,
  className,
  children,
}: {
  readonly to: string;
  readonly className: string;
  readonly children: ReactNode;
}) {
  const [path = "", hash] = to.split("#");
  return (
    <Link
      to="/docs/$"
      params={{ _splat: path }}
      {...(hash !== undefined && { hash })}
      search={{}}
      className={className}
    >
      {children}
    </Link>
  );
}

const SIZES = ["", "", "mt-7 text-xl", "mt-5 text-lg", "mt-4 text-base"];

function drawn(block: Block): ReactNode {
  if ("level" in block) {
    const Heading = block.level <= 2 ? "h2" : block.level === 3 ? "h3" : "h4";
    return (
      <Heading id={block.id} className={cx("font-semibold break-words", SIZES[block.level] ?? "mt-4")}>
        {line(block.heading)}
      </Heading>
    );
  }
  if ("text" in block) return <p className="max-w-3xl break-words">{line(block.text)}</p>;
  if ("quote" in block)
    return <blockquote className="border-s-2 border-line ps-3">{line(block.quote)}</blockquote>;
  if ("code" in block)
    return <CodeBlock text={block.code} label={block.language === "" ? "text" : block.language} />;
  if ("items" in block) {
    const List = block.ordered ? "ol" : "ul";
    return (
      <List className={cx("max-w-3xl space-y-1 ps-5", block.ordered ? "list-decimal" : "list-disc")}>
        {block.items.map((item, at) => (
          <li key={at} className="break-words">
            {item.map((each, nth) => (
              <Fragment key={nth}>{"text" in each ? line(each.text) : drawn(each)}</Fragment>
            ))}
          </li>
        ))}
      </List>
    );
  }
  return (
    // A wide table scrolls by itself, with the keyboard too.
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr>
            {block.head.map((cell, at) =>
              cell.length === 0 ? (
                <td key={at} className="border-b border-line" />
              ) : (
                <th
                  key={at}
                  scope="col"
                  className="border-b border-line px-2 py-1.5 text-start align-top font-semibold"
                >
                  {line(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, nth) => (
                <td key={nth} className="border-b border-line px-2 py-1.5 align-top">
                  {line(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function line(inlines: readonly Inline[]): ReactNode {
  return inlines.map((inline, at) => <Fragment key={at}>{run(inline)}</Fragment>);
}

const LINK = "text-accent-ink underline";

function run(inline: Inline): ReactNode {
  if (typeof inline === "string") return inline;
  if ("code" in inline)
    return <code className="rounded bg-sunken px-1 font-mono text-[0.92em] break-words">{inline.code}</code>;
  if ("strong" in inline) return <strong className="font-semibold">{line(inline.strong)}</strong>;
  if ("em" in inline) return <em>{line(inline.em)}</em>;
  if (inline.page !== undefined)
    return (
      <PageLink to={inline.page} className={LINK}>
        {line(inline.link)}
      </PageLink>
    );
  if (inline.href !== undefined)
    return (
      <a href={inline.href} target="_blank" rel="noopener noreferrer" className={LINK}>
        {line(inline.link)}
      </a>
    );
  return <span title={`In the repository: ${inline.file ?? ""}`}>{line(inline.link)}</span>;
}

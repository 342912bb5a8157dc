import type { SchemaOrNull } from "#workflows/schema-types.ts";
import { ChevronRight } from "lucide-react";
import {
  cloneElement,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type ComponentProps,
  type ReactElement,
} from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { usePopover } from "@workflow-ui/forms-react/ui/popover.ts";
import { useMedia } from "../../lib/media.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { literal } from "@workflow-ui/forms";
import { useInspect } from "./inspect-context.ts";
import type { Source } from "./scope.ts";
import { typeWord } from "./source-words.ts";
import { fitOf, fitWords, search, suggestions } from "./suggest.ts";

interface Props {
  readonly label: string;
  /** What is wanted; sources that cannot give it are marked. */
  readonly wanted: SchemaOrNull;
  readonly onPick: (source: Source) => void;
  /** The button that opens it. */
  readonly trigger: ReactElement<ComponentProps<"button">>;
}

/** A tree of everything that can be referred to from here, searched by typing, chosen by click or key. */
export function ReferencePicker(props: Props) {
  // On a narrow screen the fields are a sheet themselves, and what is outside of an open dialog cannot be reached.
  const wide = useMedia("(min-width: 64rem)");
  return wide ? <PickerBox {...props} /> : <PickerSheet {...props} />;
}

function PickerSheet({ label, wanted, onPick, trigger }: Props) {
  const [open, setOpen] = useState(false);
  const pick = (source: Source) => {
    onPick(source);
    setOpen(false);
  };
  return (
    <>
      {cloneElement(trigger, { onClick: () => setOpen(true), "aria-haspopup": "dialog" })}
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        shape="sheet"
        title={`Data for ${label}`}
        flush
        className="w-[min(34rem,100vw)]!"
      >
        <SourceTree label={label} wanted={wanted} onPick={pick} tall />
      </Dialog>
    </>
  );
}

function PickerBox({ label, wanted, onPick, trigger }: Props) {
  const { open, close, button, box } = usePopover("end");
  const [dragging, setDragging] = useState(false);
  const pick = (source: Source) => {
    close();
    onPick(source);
  };
  return (
    <>
      {cloneElement(trigger, { ...button, "aria-haspopup": "dialog" })}
      <div
        {...box}
        role="dialog"
        aria-label={`Data for ${label}`}
        // What is dragged out of it can be dropped on a field that it covers.
        data-dragging={dragging || undefined}
        className={cx(
          "fixed inset-auto m-0 w-[min(26rem,calc(100vw-1rem))] rounded-lg border border-line bg-raised text-base text-ink shadow-pop data-dragging:opacity-25",
          !open && "opacity-0",
        )}
      >
        {open ? <SourceTree label={label} wanted={wanted} onDragging={setDragging} onPick={pick} /> : null}
      </div>
    </>
  );
}

interface Row {
  readonly key: string;
  readonly source: Source;
  readonly depth: number;
  readonly group: string;
  readonly name: string;
}

/** How the browser names a piece of data that is dragged from the tree to a field. */
export const DATA_MIME = "application/x-workflow-data";

function SourceTree({
  label,
  wanted,
  onDragging,
  onPick,
  tall = false,
}: {
  readonly label: string;
  readonly wanted: SchemaOrNull;
  readonly onDragging?: (on: boolean) => void;
  readonly onPick: (source: Source) => void;
  /** It has the height of the window to itself. */
  readonly tall?: boolean;
}) {
  const { scope } = useInspect();
  const id = useId();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(["item"]));
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const rows = useMemo(
    () => rowsOf(scope.sources, wanted, label, query, open),
    [scope, wanted, label, query, open],
  );
  const current = rows[active];
  const toggle = (row: Row, on: boolean) =>
    setOpen((before) => {
      const next = new Set(before);
      if (on) next.add(row.source.path);
      else next.delete(row.source.path);
      return next;
    });
  const go = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setActive(next);
    list.current?.querySelector(`[data-row="${next}"]`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div>
      <input
        ref={field}
        role="combobox"
        aria-label={`Search data for ${label}`}
        aria-expanded
        aria-haspopup="tree"
        aria-controls={`${id}-tree`}
        aria-activedescendant={current === undefined ? undefined : `${id}-${active}`}
        value={query}
        placeholder="Search inputs and results"
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") go(active + 1);
          else if (event.key === "ArrowUp") go(active - 1);
          else if (event.key === "ArrowRight" && query === "" && current !== undefined) toggle(current, true);
          else if (event.key === "ArrowLeft" && query === "" && current !== undefined) toggle(current, false);
          else if (event.key === "Enter" && current !== undefined) onPick(current.source);
          else return;
          event.preventDefault();
        }}
        className="h-9 w-full border-b border-line bg-transparent px-3 outline-none"
      />
      {rows.length === 0 ? (
        <p className="px-3 py-4 text-sm text-ink-2">
          {scope.sources.length <= 2
            ? "No step surely runs before this one. Connect it after another step, or add an input."
            : "Nothing matches."}
        </p>
      ) : null}
      <div
        ref={list}
        id={`${id}-tree`}
        role="tree"
        aria-label="Data"
        className={cx("scroll-y p-1", !tall && "max-h-72")}
      >
        {rows.map((row, index) => {
          const kids = query === "" && row.group === "" ? row.source.children() : [];
          const isOpen = open.has(row.source.path);
          const found = fitOf(row.source, wanted);
          const misfit = found.verdict === "misfit";
          const type = typeWord(row.source.schema, row.source.sample);
          return (
            <div key={row.key}>
              {row.group !== "" && rows[index - 1]?.group !== row.group ? (
                <p className="px-2 pt-1.5 pb-0.5 text-2xs font-semibold text-ink-3">{row.group}</p>
              ) : null}
              {row.group === "" && rows[index - 1]?.group !== row.group && index > 0 ? (
                <p className="px-2 pt-1.5 pb-0.5 text-2xs font-semibold text-ink-3">All data</p>
              ) : null}
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the search field handles the keys */}
              <div
                id={`${id}-${index}`}
                data-row={index}
                role="treeitem"
                tabIndex={-1}
                aria-level={row.depth + 1}
                aria-selected={index === active}
                aria-expanded={kids.length === 0 ? undefined : isOpen}
                draggable
                onDragStart={({ dataTransfer }) => {
                  dataTransfer.setData(DATA_MIME, row.source.path);
                  // An expression takes the path as text.
                  dataTransfer.setData("text/plain", row.source.path);
                  dataTransfer.effectAllowed = "copy";
                  // The browser gives up a drag whose source changes while it begins.
                  setTimeout(() => onDragging?.(true));
                }}
                onDragEnd={() => onDragging?.(false)}
                onClick={() => onPick(row.source)}
                onPointerMove={() => setActive(index)}
                className={cx(
                  "flex cursor-pointer items-center gap-1.5 rounded-md py-1 pr-2 text-sm",
                  index === active && "bg-hover",
                )}
                style={{ paddingLeft: 4 + row.depth * 16 }}
              >
                {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- arrow keys do the same */}
                <span
                  aria-hidden
                  onClick={(event) => {
                    event.stopPropagation();
                    toggle(row, !isOpen);
                  }}
                  className={cx(
                    "grid size-5 shrink-0 place-items-center rounded hover:bg-line",
                    kids.length === 0 && "invisible",
                  )}
                >
                  <ChevronRight className={cx("size-3.5 transition-transform", isOpen && "rotate-90")} />
                </span>
                <span className={cx("truncate", misfit ? "text-ink-3" : "font-medium")} dir="auto">
                  {row.name}
                </span>
                <span className="shrink-0 text-2xs text-ink-3">{type}</span>
                <span className="min-w-0 flex-1 truncate text-right text-2xs text-ink-3">
                  {fitWords(found) || (row.source.sample === undefined ? "" : literal(row.source.sample))}
                </span>
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function rowsOf(
  sources: readonly Source[],
  wanted: SchemaOrNull,
  label: string,
  query: string,
  open: ReadonlySet<string>,
): readonly Row[] {
  const flat = (source: Source, group: string): Row => ({
    key: `${group} ${source.path}`,
    source,
    depth: 0,
    group,
    name: source.trail.join(" › "),
  });
  if (query.trim() !== "") return search(sources, wanted, query).map((source) => flat(source, ""));
  const rows = suggestions(sources, wanted, label).map((source) =>
    flat(source, fitOf(source, wanted).verdict === "fits" ? "Suggested" : "May fit"),
  );
  const walk = (list: readonly Source[], depth: number): void => {
    for (const source of list) {
      rows.push({ key: source.path, source, depth, group: "", name: source.label });
      if (open.has(source.path)) walk(source.children(), depth + 1);
    }
  };
  walk(sources, 0);
  return rows;
}

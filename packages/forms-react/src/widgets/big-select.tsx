import { type FormValue, type Option, sameJson, literal } from "@workflow-ui/forms";
import { Check, ChevronsUpDown } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "../ui/cx.ts";
import { usePopover } from "../ui/popover.ts";
import { useSay } from "../settings.ts";

interface Props {
  readonly options: readonly Option[];
  readonly index: number;
  readonly chosen?: readonly FormValue[];
  readonly optional: boolean;
  /** What leaving it open is called. */
  readonly unset?: string;
  readonly label: string;
  readonly onPick: (index: number) => void;
  readonly controlProps: {
    readonly id: string;
    readonly "aria-required"?: boolean | undefined;
    readonly "aria-invalid"?: boolean | undefined;
    readonly "aria-describedby"?: string | undefined;
    readonly readOnly?: boolean | undefined;
  };
}

/** Rows are of one height, so those in view follow from how far the list is scrolled. */
const ROW = 32;
const SHOWN = 8;
const OVERSCAN = 6;

/** A select for hundreds or thousands of options: searched by typing, and only the rows in view are drawn. */
export function BigSelect({ options, index, chosen, optional, unset, label, onPick, controlProps }: Props) {
  const { open, close, button, box } = usePopover();
  const t = useSay();
  const { readOnly, ...aria } = controlProps;
  const text =
    chosen === undefined
      ? (options[index]?.label ?? (optional ? (unset ?? t("Not set")) : t("Choose…")))
      : chosen.length === 0
        ? t("Choose…")
        : chosen
            .map((item) => options.find((option) => sameJson(option.value, item))?.label ?? literal(item))
            .join(", ");
  return (
    <>
      <button
        type="button"
        {...aria}
        {...button}
        aria-haspopup="dialog"
        aria-required={undefined}
        aria-label={`${label}: ${text}`}
        disabled={readOnly === true}
        className="field-control flex items-center gap-2 text-left"
      >
        <span className={cx("flex-1 truncate", index < 0 && (chosen?.length ?? 0) === 0 && "text-ink-3")}>
          {text}
        </span>
        <ChevronsUpDown aria-hidden className="size-4 text-ink-3" />
      </button>
      <div
        {...box}
        role="dialog"
        aria-label={label}
        className={cx(
          "fixed inset-auto m-0 w-(--anchor-width) min-w-64 rounded-lg border border-line bg-raised text-ink shadow-pop",
          !open && "opacity-0",
        )}
      >
        {open ? (
          <Search
            options={options}
            label={label}
            isOn={(at) =>
              chosen === undefined ? at === index : chosen.some((item) => sameJson(item, options[at]?.value))
            }
            onPick={(at) => {
              onPick(at);
              if (chosen === undefined) close();
            }}
            optional={optional}
            unset={unset ?? t("Not set")}
          />
        ) : null}
      </div>
    </>
  );
}

interface SearchProps {
  readonly options: readonly Option[];
  readonly label: string;
  readonly isOn: (index: number) => boolean;
  readonly onPick: (index: number) => void;
  readonly optional: boolean;
  readonly unset: string;
}

function Search({ options, label, isOn, onPick, optional, unset }: SearchProps) {
  const t = useSay();
  const id = useId();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const found = useMemo(() => {
    const wanted = query.trim().toLowerCase();
    const all = options.flatMap((option, at) => (option.label.toLowerCase().includes(wanted) ? [at] : []));
    return optional && wanted === "" ? [-1, ...all] : all;
  }, [options, query, optional]);
  const field = useRef<HTMLInputElement>(null);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const rows = found.slice(first, first + SHOWN + 2 * OVERSCAN);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(found.length - 1, to));
    setActive(next);
    const pane = scroller.current;
    if (pane === null) return;
    if (next * ROW < pane.scrollTop) pane.scrollTop = next * ROW;
    else if ((next + 1) * ROW > pane.scrollTop + SHOWN * ROW) pane.scrollTop = (next + 1 - SHOWN) * ROW;
  };
  return (
    <div>
      <input
        ref={field}
        role="combobox"
        aria-label={t(`Search ${label}`)}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        value={query}
        placeholder={t(`Search ${options.length.toLocaleString("en")} options`)}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
          scroller.current?.scrollTo(0, 0);
        }}
        onKeyDown={(event) => {
          const moves: Record<string, number> = {
            ArrowDown: active + 1,
            ArrowUp: active - 1,
            PageDown: active + 8,
            PageUp: active - 8,
          };
          const to = moves[event.key];
          if (to !== undefined) {
            event.preventDefault();
            go(to);
          } else if (event.key === "Enter") {
            event.preventDefault();
            const at = found[active];
            if (at !== undefined) onPick(at);
          }
        }}
        className="h-9 w-full border-b border-line bg-transparent px-3 outline-none"
      />
      <div
        ref={scroller}
        className="max-h-66 scroll-y p-1"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={label}
          className="relative"
          style={{ height: found.length * ROW }}
        >
          {rows.map((at, offset) => {
            const row = first + offset;
            return (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the search field handles the keys
              <div
                key={at}
                id={`${id}-${row}`}
                role="option"
                tabIndex={-1}
                aria-selected={at >= 0 && isOn(at)}
                aria-setsize={found.length}
                aria-posinset={row + 1}
                onClick={() => onPick(at)}
                onPointerMove={() => setActive(row)}
                className={cx(
                  "absolute inset-x-0 flex cursor-pointer items-center gap-2 rounded-md px-2",
                  row === active && "bg-hover",
                )}
                style={{ height: ROW, top: row * ROW }}
              >
                <span className="flex-1 truncate">{at < 0 ? unset : options[at]?.label}</span>
                {at >= 0 && isOn(at) ? <Check aria-hidden className="size-4 text-accent" /> : null}
              </div>
            );
          })}
        </div>
        {found.length === 0 ? (
          <p className="px-2 py-3 text-sm text-ink-3">{t("No option matches.")}</p>
        ) : null}
      </div>
    </div>
  );
}

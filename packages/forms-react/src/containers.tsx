import {
  type Field,
  type FormValue,
  type MapRule,
  isFormObject,
  addText,
  initialOf,
  plainText,
} from "@workflow-ui/forms";
import { ChevronRight, Plus, Rows3, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { cx } from "./ui/cx.ts";
import { Button, IconButton } from "./ui/button.tsx";
import { useFormScope, useRevealed, useSelect } from "./context.ts";
import { FieldMenu } from "./field-menu.tsx";
import { FieldBadges, Help, LabelText, Problems, useIds } from "./frame.tsx";
import { MapEntries } from "./map-entries.tsx";
import { Members } from "./members.tsx";
import { JsonPart } from "./widgets/json.tsx";
import type { WidgetProps } from "./widgets/types.ts";

interface SectionProps extends WidgetProps {
  readonly children: ReactNode;
  readonly aside?: ReactNode;
  readonly depth: number;
  /** True when the one field inside stands at the same place and tells what is wrong there. */
  readonly innerTells?: boolean;
}

/** The frame of a part that has fields of its own: a legend, what can be done with it, and its fields or its JSON. */
export function Section({
  field,
  pointer,
  required,
  bare = false,
  children,
  aside,
  depth,
  innerTells = false,
}: SectionProps) {
  const { store, readOnly, t } = useFormScope();
  const ids = useIds(pointer);
  const [asJson, setAsJson] = useState(false);
  const [open, setOpen] = useState(true);
  const revealed = useRevealed(pointer);
  const shown = open || (revealed && store.revealed !== pointer);
  if (pointer === "" && !asJson) {
    return (
      <div data-pointer="">
        {children}
        {innerTells ? null : <Problems pointer="" />}
      </div>
    );
  }
  const removable = !required && !readOnly && field.readOnly !== true && !bare && pointer !== "";
  const body = asJson ? <JsonPart pointer={pointer} label={field.label} /> : children;
  return (
    <div
      role="group"
      aria-labelledby={ids.label}
      data-pointer={pointer}
      className={cx(
        "min-w-0",
        !bare && "rounded-xl border border-line",
        !bare && (depth % 2 === 0 ? "" : "bg-sunken/45"),
      )}
    >
      <div
        className={cx(
          "group/field flex min-h-9 items-center gap-1.5",
          bare ? "sr-only focus-within:not-sr-only" : "py-1 ps-1.5 pe-2",
        )}
      >
        <button
          type="button"
          id={ids.control}
          aria-expanded={shown}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 items-center gap-1 rounded-md py-0.5 pe-1.5 text-base font-semibold"
        >
          <ChevronRight
            aria-hidden
            className={cx(
              "size-4 shrink-0 text-ink-3 transition-transform",
              shown ? "rotate-90" : "rtl:rotate-180",
            )}
          />
          <span id={ids.label} className="text-start">
            <LabelText field={field} required={required} />
          </span>
        </button>
        <FieldBadges field={field} />
        <span className="flex-1" />
        {aside}
        {asJson ? (
          <Button size="sm" look="ghost" onClick={() => setAsJson(false)}>
            <Rows3 /> {t("Fields")}
          </Button>
        ) : (
          <FieldMenu field={field} pointer={pointer} onJson={() => setAsJson(true)} />
        )}
        {removable ? (
          <IconButton label={t(`Remove ${field.label}`)} onClick={() => store.set(pointer, undefined)}>
            <Trash2 />
          </IconButton>
        ) : null}
      </div>
      {shown ? (
        <div className={bare ? "" : "border-t border-line p-3 sm:p-4"}>
          <Help field={field} pointer={pointer} />
          {body}
          {innerTells && !asJson ? null : <Problems pointer={pointer} />}
        </div>
      ) : null}
    </div>
  );
}

/** A part that is not there: one quiet line that adds it. */
export function Absent({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, document, readOnly, t } = useFormScope();
  const ids = useIds(pointer);
  if (readOnly || field.readOnly === true) return null;
  return (
    <div data-pointer={pointer}>
      <button
        type="button"
        id={ids.control}
        onClick={() => {
          store.set(pointer, initialOf(document, field));
          store.onAnnounce(`${field.label} added`);
        }}
        className="flex min-h-9 w-full items-center gap-2 rounded-lg border border-dashed border-line px-3 py-1.5 text-start hover:border-line-strong hover:bg-hover"
      >
        <Plus aria-hidden className="size-4 shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1">
          <span className="font-medium">{t(bare ? "Add a value" : addText(field.label.slice(0, 200)))}</span>
          {field.help === undefined ? null : (
            <span className="line-clamp-1 text-sm text-ink-3">{plainText(field.help.slice(0, 300))}</span>
          )}
        </span>
        {field.deprecated === true ? <FieldBadges field={field} /> : null}
        <span className="text-xs text-ink-3">{t(required ? "required" : "optional")}</span>
      </button>
      <Problems pointer={pointer} />
    </div>
  );
}

/** No entry may be added; those that are there all the same are shown. */
const CLOSED: MapRule = { patterns: [], additional: null };

/** An object: its fields, and more entries when the schema allows them. */
export function GroupWidget({
  field,
  pointer,
  required,
  bare = false,
  depth,
}: WidgetProps & { readonly depth: number }) {
  const { t } = useFormScope();
  const children = field.children ?? [];
  return (
    <Section field={field} pointer={pointer} required={required} bare={bare} depth={depth}>
      <div className="space-y-4">
        <Members field={field} pointer={pointer} depth={depth} />
        <MapEntries
          field={field}
          rule={field.map ?? CLOSED}
          pointer={pointer}
          depth={depth}
          known={children}
        />
        {children.length === 0 && field.map === undefined ? (
          <p className="text-sm text-ink-3">{t("Nothing to fill in.")}</p>
        ) : null}
      </div>
    </Section>
  );
}

/** The keys of an object that are none of its known fields. */
export function useObjectKeys(pointer: string, known: readonly Field[]): readonly string[] {
  const names = new Set(known.map((field) => field.name));
  const joined = useSelect(pointer, (value: FormValue | undefined) =>
    isFormObject(value)
      ? JSON.stringify(Object.keys(value).filter((key) => !names.has(key) && value[key] !== undefined))
      : "[]",
  );
  const keys: unknown = JSON.parse(joined);
  return Array.isArray(keys) ? keys.map(String) : [];
}

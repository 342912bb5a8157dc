import { defaultFits, type Field, type FormValue, literal, problemText, sameJson } from "@workflow-ui/forms";
import { Ban, CircleAlert, Lock } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./ui/cx.ts";
import { Badge } from "./ui/badge.tsx";
import { LongText } from "./ui/long-text.tsx";
import { useFormScope, useProblems } from "./context.ts";
import { richText } from "./rich-text.tsx";
import { FieldMenu } from "./field-menu.tsx";

/** The ids that tie a control to its label, help and errors. */
export interface FieldIds {
  readonly control: string;
  readonly label: string;
  readonly help: string;
  readonly error: string;
}

/** The ids of the field at a pointer. */
export function useIds(pointer: string): FieldIds {
  const { prefix } = useFormScope();
  const base = `${prefix}${pointer === "" ? "/" : pointer}`.replaceAll(/\s/g, "_");
  return { control: base, label: `${base}:label`, help: `${base}:help`, error: `${base}:error` };
}

/** What a control says about itself to assistive technology. */
export function useControlProps(field: Field, pointer: string, required: boolean) {
  const ids = useIds(pointer);
  const problems = useProblems(pointer);
  const { readOnly } = useFormScope();
  const described = [field.help === undefined ? "" : ids.help, problems.length === 0 ? "" : ids.error]
    .filter(Boolean)
    .join(" ");
  return {
    id: ids.control,
    "aria-required": required || undefined,
    "aria-invalid": problems.length > 0 || undefined,
    "aria-describedby": described === "" ? undefined : described,
    readOnly: readOnly || field.readOnly === true || undefined,
    autoFocus: field.ui?.options?.["focus"] === true || undefined,
  };
}

/** What the frame of a field is given. */
export interface FrameProps {
  readonly field: Field;
  readonly pointer: string;
  readonly required: boolean;
  readonly children: ReactNode;
  /** Items of a list show their position instead of a label. */
  readonly hideLabel?: boolean;
  /** The label names a group of controls rather than one. */
  readonly group?: boolean;
  readonly aside?: ReactNode;
}

/** Label, help, control and errors of a field that is one control. */
export function Frame({
  field,
  pointer,
  required,
  children,
  hideLabel = false,
  group = false,
  aside,
}: FrameProps) {
  const ids = useIds(pointer);
  const label = <LabelText field={field} required={required} />;
  const unlabelled = hideLabel || field.ui?.options?.["label"] === false;
  return (
    <div data-pointer={pointer} className="group/field min-w-0">
      <div className={cx("mb-1 flex min-h-5 items-center gap-1.5", unlabelled && "sr-only")}>
        {group ? (
          <span id={ids.label} className="text-base font-medium">
            {label}
          </span>
        ) : (
          <label id={ids.label} htmlFor={ids.control} className="text-base font-medium">
            {label}
          </label>
        )}
        <FieldBadges field={field} />
        <span className="flex-1" />
        {aside}
        {unlabelled ? null : <FieldMenu field={field} pointer={pointer} />}
      </div>
      {hideLabel ? null : <Help field={field} pointer={pointer} />}
      {children}
      <Examples field={field} pointer={pointer} />
      <Problems pointer={pointer} />
    </div>
  );
}

/** A field's label with its required mark. */
export function LabelText({ field, required }: { readonly field: Field; readonly required: boolean }) {
  const { t } = useFormScope();
  return (
    <span className="inline-flex items-baseline break-words">
      {/* Isolated and bounded: a label from a stranger may hold bidirectional controls or a megabyte of text. */}
      <bdi className="line-clamp-3">
        {(field.label === "" ? field.name || t("Value") : field.label).slice(0, 400)}
      </bdi>
      {required ? (
        <span className="ms-0.5 text-bad" title={t("Required")}>
          <span aria-hidden>*</span>
          <span className="sr-only"> ({t("required")})</span>
        </span>
      ) : null}
    </span>
  );
}

/** What is special about a field, in words. */
export function FieldBadges({ field }: { readonly field: Field }) {
  const { t } = useFormScope();
  return (
    <>
      {field.deprecated === true ? (
        <Badge tone="warn" title={t("May be removed")}>
          <Ban aria-hidden /> {t("deprecated")}
        </Badge>
      ) : null}
      {field.secret === true ? (
        <Badge title={t("Masked, and left out of drafts, links and copies")}>
          <Lock aria-hidden /> {t("secret")}
        </Badge>
      ) : null}
      {field.readOnly === true ? <Badge>{t("read only")}</Badge> : null}
    </>
  );
}

/** Help text and the limits that apply. Markdown in it becomes elements; nothing in it is ever markup. */
export function Help({ field, pointer }: { readonly field: Field; readonly pointer: string }) {
  const ids = useIds(pointer);
  const { plain, t } = useFormScope();
  // That what is required is not empty need not be said.
  const { minLength, ...others } = field.constraints ?? {};
  const limited = plain && minLength === 1 ? { ...field, constraints: others } : field;
  const limits = limitParts(limited).map(t).join(" · ");
  const isMisfit = field.default !== undefined && !defaultFits(field);
  if (field.help === undefined && limits === "" && field.rules === undefined && !isMisfit) return null;
  return (
    <div id={ids.help} className="mb-1.5 max-w-prose text-sm text-ink-2">
      {field.help === undefined ? null : <LongText text={field.help} draw={richText} />}
      {limits === "" ? null : <p className="text-xs text-ink-3">{limits}</p>}
      {field.rules?.map((rule) => (
        <p key={rule} className="text-xs text-ink-3">
          {rule}
        </p>
      ))}
      {isMisfit ? (
        <p className="text-xs text-warn">
          {t(`The default ${literal(field.default)} is invalid and is not used`)}
        </p>
      ) : null}
    </div>
  );
}

/** What is wrong with the value at a pointer. */
export function Problems({ pointer }: { readonly pointer: string }) {
  const ids = useIds(pointer);
  const problems = useProblems(pointer);
  const { t, document } = useFormScope();
  if (problems.length === 0) return null;
  return (
    <div id={ids.error} className="mt-1 space-y-0.5 text-sm text-bad">
      {problems.map((problem) => (
        <p key={problem.message} className="flex items-start gap-1.5">
          <CircleAlert aria-hidden className="mt-[3px] size-3.5 shrink-0" />
          {t(problemText(document, problem))}
        </p>
      ))}
    </div>
  );
}

function Examples({ field, pointer }: { readonly field: Field; readonly pointer: string }) {
  const { store, readOnly, t } = useFormScope();
  const examples = (field.examples ?? []).filter((example) => typeof example !== "object").slice(0, 3);
  if (examples.length === 0 || readOnly || field.readOnly === true) return null;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-1 text-xs text-ink-3">
      <span>{t("Try")}</span>
      {examples.map((example) => (
        <button
          key={literal(example)}
          type="button"
          onClick={() => store.set(pointer, example)}
          className="max-w-56 truncate rounded border border-line px-1.5 py-px font-mono text-ink-2 hover:border-line-strong hover:text-ink"
        >
          {literal(example)}
        </button>
      ))}
    </div>
  );
}

/** The limits of a field, in words. */
function limitParts(field: Field): readonly string[] {
  const limits = field.constraints;
  if (limits === undefined) return [];
  const parts: string[] = [];
  range(parts, limits.minLength, limits.maxLength, "characters");
  range(parts, limits.minimum, limits.maximum, "");
  if (limits.exclusiveMinimum !== undefined) parts.push(`more than ${limits.exclusiveMinimum}`);
  if (limits.exclusiveMaximum !== undefined) parts.push(`less than ${limits.exclusiveMaximum}`);
  if (limits.multipleOf !== undefined) parts.push(`a multiple of ${limits.multipleOf}`);
  range(parts, limits.minItems, limits.maxItems, "items");
  range(parts, limits.minProperties, limits.maxProperties, "entries");
  if (limits.uniqueItems === true) parts.push("no duplicates");
  // A help says in words what a pattern says to programs.
  if (limits.pattern !== undefined && field.widget !== "select" && field.help === undefined)
    parts.push(`matches ${limits.pattern}`);
  return parts;
}

const SINGULAR: Readonly<Record<string, string>> = {
  characters: "character",
  items: "item",
  entries: "entry",
};

function range(parts: string[], low: number | undefined, high: number | undefined, unit: string): void {
  const tailFor = (n: number) => (unit === "" ? "" : ` ${n === 1 ? SINGULAR[unit] : unit}`);
  if (low !== undefined && high !== undefined)
    parts.push(low === high ? `exactly ${low}${tailFor(low)}` : `${low} to ${high}${tailFor(high)}`);
  else if (low !== undefined && low > 0) parts.push(`at least ${low}${tailFor(low)}`);
  else if (high !== undefined) parts.push(`at most ${high}${tailFor(high)}`);
}

/** What leaving a choice open is called; an optional field that is not set has its default. */
export function notSetText(field: Field): string {
  const { default: standard, options } = field;
  if (standard === undefined || !defaultFits(field)) return "Not set";
  const option = options?.find(({ value }) => sameJson(value, standard));
  const text = option?.label ?? (standard === true ? "Yes" : standard === false ? "No" : literal(standard));
  return `Default (${text})`;
}

/** What stands in an empty field: a hint's text, or the default. */
export function placeholderOf(field: Field): string | undefined {
  if (field.ui?.placeholder !== undefined) return field.ui.placeholder;
  const value: FormValue | undefined = field.default;
  if (value === null || value === "" || typeof value === "object" || !defaultFits(field)) return undefined;
  return `${String(value)} (default)`;
}

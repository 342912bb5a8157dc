import {
  type Field,
  type FormValue,
  childPointer,
  fieldAt,
  isFormObject,
  initialOf,
  isLeaf,
  literal,
  opened,
  sameJson,
  addText,
  lowerFirst,
} from "@workflow-ui/forms";
import { ArrowDown, ArrowUp, CopyPlus, Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { cx } from "./ui/cx.ts";
import { Badge } from "./ui/badge.tsx";
import { Button, IconButton } from "./ui/button.tsx";
import { Blocks } from "./blocks.tsx";
import { Section } from "./containers.tsx";
import { useFormScope, useSelect } from "./context.ts";
import { controlIn } from "./focus.ts";
import { FieldView } from "./field-view.tsx";
import type { WidgetProps } from "./widgets/types.ts";

type Props = WidgetProps & { readonly depth: number };

/** An array of like items: add, duplicate, move, remove, each announced and reachable by keyboard. */
export function ListWidget({ field, pointer, required, bare = false, depth }: Props) {
  const { store, document, readOnly, t } = useFormScope();
  const length = useSelect(pointer, (value) => (Array.isArray(value) ? value.length : 0));
  const box = useRef<HTMLDivElement>(null);
  const fixed = readOnly || field.readOnly === true;
  const options = field.ui?.options ?? {};
  const start = field.tuple?.length ?? 0;
  const item = field.items;
  const name = item === undefined || ["", "Item", field.label].includes(item.label) ? t("Item") : item.label;
  const full = field.constraints?.maxItems !== undefined && length >= field.constraints.maxItems;
  const add = () => {
    if (item === undefined) return;
    const at = Math.max(length, start);
    store.insert(pointer, at, initialOf(document, item) ?? blank(item), name);
    focusSoon(box.current, childPointer(pointer, at));
  };
  const indexes = Array.from({ length: Math.max(0, length - start) }, (_, at) => at + start);
  const keys = store.keys(pointer, length);
  return (
    <Section
      field={field}
      pointer={pointer}
      required={required}
      bare={bare}
      depth={depth}
      aside={<Badge>{t(length === 1 ? "1 item" : `${length} items`)}</Badge>}
    >
      <div ref={box} className="space-y-2">
        {field.tuple === undefined ? null : <Tuple field={field} pointer={pointer} depth={depth} />}
        {item === undefined ? null : (
          <Blocks
            items={indexes}
            keyOf={(at) => keys[at] ?? at}
            pointerOf={(at) => childPointer(pointer, at)}
            render={(at) => (
              <Item
                field={item}
                list={pointer}
                index={at}
                first={at === start}
                last={at === length - 1}
                name={name}
                fixed={fixed}
                full={full}
                options={options}
                fewest={options["restrict"] === true && length <= (field.constraints?.minItems ?? 0)}
                depth={depth}
                box={box.current}
              />
            )}
          />
        )}
        {length <= start && item !== undefined && field.tuple === undefined ? (
          <p className="text-sm text-ink-3">{t("No items yet.")}</p>
        ) : null}
        {fixed || item === undefined || options["addable"] === false ? null : (
          <Button size="sm" onClick={add} disabled={full} title={full ? t("The list is full") : undefined}>
            <Plus /> {t(addText(lowerFirst(name)))}
          </Button>
        )}
      </div>
    </Section>
  );
}

function Tuple({
  field,
  pointer,
  depth,
}: {
  readonly field: Field;
  readonly pointer: string;
  readonly depth: number;
}) {
  return (
    <div className="space-y-4">
      <Blocks
        items={field.tuple ?? []}
        keyOf={(part) => part.path}
        pointerOf={(_part, at) => childPointer(pointer, at)}
        render={(part, at) => (
          <FieldView field={part} pointer={childPointer(pointer, at)} depth={depth + 1} />
        )}
      />
    </div>
  );
}

interface ItemProps {
  readonly field: Field;
  readonly list: string;
  readonly index: number;
  readonly first: boolean;
  readonly last: boolean;
  readonly name: string;
  readonly fixed: boolean;
  readonly full: boolean;
  /** What a hint says about the list. */
  readonly options: Readonly<Record<string, unknown>>;
  /** No item may be taken away. */
  readonly fewest: boolean;
  readonly depth: number;
  readonly box: HTMLElement | null;
}

function Item(props: ItemProps) {
  const { field, list, index, first, last, name, fixed, full, options, fewest, depth, box } = props;
  const { store, document, t } = useFormScope();
  const pointer = childPointer(list, index);
  const leaf = isLeaf(document, field);
  const summary = useSelect(pointer, (value) => (leaf ? "" : summarise(value)));
  const move = (to: number) => {
    store.move(list, index, to, name);
    focusSoon(box, childPointer(list, to));
  };
  const drop = () => {
    store.remove(list, index, name);
    focusSoon(box, index > 0 ? childPointer(list, index - 1) : list);
  };
  const orderable = options["orderable"] !== false;
  const buttons = fixed ? null : (
    <span className="ms-auto flex shrink-0 items-center">
      {orderable ? (
        <>
          <IconButton
            label={t(`Move ${name.toLowerCase()} ${index + 1} up`)}
            disabled={first}
            onClick={() => move(index - 1)}
          >
            <ArrowUp />
          </IconButton>
          <IconButton
            label={t(`Move ${name.toLowerCase()} ${index + 1} down`)}
            disabled={last}
            onClick={() => move(index + 1)}
          >
            <ArrowDown />
          </IconButton>
        </>
      ) : null}
      {options["copyable"] === false || options["addable"] === false ? null : (
        <IconButton
          label={t(`Duplicate ${name.toLowerCase()} ${index + 1}`)}
          disabled={full}
          onClick={() => {
            store.insert(list, index + 1, store.get(pointer) ?? null, name);
            focusSoon(box, childPointer(list, index + 1));
          }}
        >
          <CopyPlus />
        </IconButton>
      )}
      {options["removable"] === false ? null : (
        <IconButton label={t(`Remove ${name.toLowerCase()} ${index + 1}`)} disabled={fewest} onClick={drop}>
          <Trash2 />
        </IconButton>
      )}
    </span>
  );
  const shown = { ...field, label: `${name} ${index + 1}`, name: String(index), required: true };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Alt+arrows act on whatever has the focus inside
    <div
      data-item={pointer}
      onKeyDown={(event) => {
        if (!event.altKey || fixed || !orderable || (event.key !== "ArrowUp" && event.key !== "ArrowDown"))
          return;
        event.preventDefault();
        event.stopPropagation();
        move(index + (event.key === "ArrowUp" ? -1 : 1));
      }}
      className={cx("rounded-lg", !leaf && "border border-line bg-surface")}
    >
      {leaf ? (
        <div className="flex flex-wrap items-start gap-x-1">
          <span aria-hidden className="w-6 shrink-0 pt-2 text-end text-xs text-ink-3 tabular-nums">
            {index + 1}
          </span>
          {/* In a narrow place the buttons go below, so that what is typed can be seen. */}
          <div className="min-w-0 flex-1 basis-36">
            <FieldView field={shown} pointer={pointer} depth={depth + 1} bare />
          </div>
          {buttons}
        </div>
      ) : (
        <>
          <div className="flex items-center gap-2 border-b border-line py-0.5 ps-3 pe-1">
            <span className="text-sm font-medium text-ink-2 tabular-nums">
              {name} {index + 1}
            </span>
            <span className="min-w-0 flex-1 truncate text-sm text-ink-3">{summary}</span>
            {buttons}
          </div>
          <div className="p-3">
            <FieldView field={shown} pointer={pointer} depth={depth + 1} bare />
          </div>
        </>
      )}
    </div>
  );

  function summarise(value: FormValue | undefined): string {
    if (!isFormObject(value)) return value === undefined ? "" : literal(value);
    const { itemLabel } = options;
    if (typeof itemLabel === "string") {
      const at = fieldAt(document, store.value, `${pointer}${itemLabel}`);
      const part = at?.secret === true ? undefined : store.get(`${pointer}${itemLabel}`);
      if (part === undefined || part === null || typeof part === "object") return "";
      return (at?.options?.find((option) => sameJson(option.value, part))?.label ?? literal(part)).slice(
        0,
        200,
      );
    }
    const known = opened(document, field).children ?? [];
    const secret = new Set(known.filter((child) => child.secret === true).map((child) => child.name));
    const [text] = Object.entries(value).flatMap(([key, part]) =>
      typeof part === "string" && part !== "" && !secret.has(key) ? [part] : [],
    );
    return (text ?? "").slice(0, 200);
  }
}

/** A value for an item whose schema names none. */
function blank(field: Field): FormValue {
  if (field.type === "string") return "";
  if (field.type === "object") return {};
  if (field.type === "array") return [];
  return field.nullable
    ? null
    : field.type === "boolean"
      ? false
      : field.type === "number" || field.type === "integer"
        ? 0
        : "";
}

/** Focuses the first control of an item after it was drawn. */
function focusSoon(box: HTMLElement | null, pointer: string): void {
  requestAnimationFrame(() => {
    const item = box?.querySelector(`[data-item="${CSS.escape(pointer)}"]`) ?? box;
    const control = item === null || item === undefined ? null : controlIn(item);
    control?.focus();
  });
}

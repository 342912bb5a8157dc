import { createContext, useContext, type ComponentType } from "react";
import type { WidgetProps } from "./widgets/types.ts";

/** What an editor of JSON text gets. */
export interface JsonEditorProps {
  readonly id?: string;
  readonly value: string;
  readonly label: string;
  readonly onChange?: (text: string) => void;
  /** True when the text typed so far says the same as `value`, so that the editor keeps its own formatting. */
  readonly same?: (text: string) => boolean;
  readonly readOnly?: boolean;
  readonly tall?: boolean;
}

/** What a page gives the forms on it; everything has a standard. */
export interface Settings {
  /** Components in place of the standard widgets, by the name of the widget: `{ date: MyDatePicker }`. */
  readonly widgets?: Readonly<Record<string, ComponentType<WidgetProps>>>;
  /** Edits the parts that are JSON text; a text area when none is given. May be lazy. */
  readonly JsonEditor?: ComponentType<JsonEditorProps>;
  /** Copies text and tells the person so. */
  readonly copyText?: (text: string, done: string) => Promise<void> | void;
}

/** The settings of the forms below. */
export const FormSettings = createContext<Settings>({});

/** The settings of this form. */
export function useSettings(): Settings {
  return useContext(FormSettings);
}

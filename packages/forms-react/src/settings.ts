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

/** A language of the form's own texts. */
export interface Language {
  readonly code: string;
  readonly dir: "ltr" | "rtl";
  /** A text of the form in this language, from its English one; what is not known comes back as it is. */
  readonly say: (english: string) => string;
}

/** What a page gives the forms on it; everything has a standard. */
export interface Settings {
  /** Components in place of the standard widgets, by the name of the widget: `{ date: MyDatePicker }`. */
  readonly widgets?: Readonly<Record<string, ComponentType<WidgetProps>>>;
  /** Edits the parts that are JSON text; a text area when none is given. May be lazy. */
  readonly JsonEditor?: ComponentType<JsonEditorProps>;
  /** The language of the form's own texts; English when none is given. See `@workflow-ui/forms-react/languages/de`. */
  readonly language?: Language;
  /** Copies text and tells the person so. */
  readonly copyText?: (text: string, done: string) => Promise<void> | void;
}

/** The settings of the forms below. */
export const FormSettings = createContext<Settings>({});

const inEnglish = (text: string) => text;

/** Says a text of the form in the page's language. */
export function useSay(): (english: string) => string {
  return useContext(FormSettings).language?.say ?? inEnglish;
}

/** The settings of this form. */
export function useSettings(): Settings {
  return useContext(FormSettings);
}

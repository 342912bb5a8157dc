import { FormStore, type FormDocument, type FormValue } from "@workflow-ui/forms";
import { useMemo, useSyncExternalStore } from "react";

/** A store for a document; a new one when the document changes. */
export function useFormStore(document: FormDocument, value?: FormValue): FormStore {
  // The value is what the form begins with; later values are set on the store.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => new FormStore(document, value), [document]);
}

/** The store's version: components that show the whole value follow it. */
export function useFormVersion(store: FormStore): number {
  return useSyncExternalStore(
    (listener) => store.subscribeAll(listener),
    () => store.version,
  );
}

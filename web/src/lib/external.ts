import { useSyncExternalStore } from "react";

/** A value outside React that components can follow. */
export interface External<T> {
  readonly get: () => T;
  readonly set: (next: T) => void;
  readonly update: (change: (current: T) => T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Makes a followed value. */
export function external<T>(initial: T): External<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(next, current)) return;
    current = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => current,
    set,
    update: (change) => set(change(current)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value now, and again whenever it changes. */
export function useExternal<T>(store: External<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

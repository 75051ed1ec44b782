import { useEffect } from 'react';

/** Calls back on single keys pressed outside of text fields, without a modifier. */
export function useKeys(bindings: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.closest('input, select, textarea')) return;
      const binding = Object.hasOwn(bindings, event.key) ? bindings[event.key] : undefined;
      if (binding === undefined) return;
      event.preventDefault();
      binding();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [bindings]);
}

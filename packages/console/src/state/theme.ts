export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'varve.theme';

export function storedTheme(): Theme {
  const stored = window.localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'auto';
}

/** `auto` follows the system. */
export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  window.localStorage.setItem(storageKey, theme);
}

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './component/App.tsx';
import { applyTheme, storedTheme } from './state/theme.ts';
import './style.css';

applyTheme(storedTheme());

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

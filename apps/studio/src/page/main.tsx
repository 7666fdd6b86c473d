import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyScheme, storedScheme } from './app/scheme.ts';
import { createStudio } from './app/studio.ts';
import { takeTicket } from './data/session.ts';
import './design/tokens.css';
import './design/base.css';
import './design/controls.css';
import './design/overlay.css';
import './app/shell.css';
import './list/list.css';

const place = document.getElementById('studio');
if (!place) throw new Error('expected the element #studio in index.html, found none; build the page again');
applyScheme(storedScheme());
createRoot(place).render(<App studio={createStudio(location.origin)} ticket={takeTicket()} />);

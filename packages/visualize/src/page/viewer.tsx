import { createRoot } from 'react-dom/client';
import { unpackContent } from './page-content.ts';
import { PageApp } from './page-app.tsx';

const place = document.getElementById('conv');
const packed = document.getElementById('conv-content')?.textContent;
if (!place || !packed)
  throw new Error('expected the content of a conversation in this page, found none; export it again');
createRoot(place).render(<PageApp content={await unpackContent(packed)} />);

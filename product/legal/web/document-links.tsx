import { lazy, Suspense, useState, type MouseEvent } from 'react';
import type { DocumentName } from '../rules.ts';

const DocumentDialog = lazy(() => import('./document-dialog.tsx'));

interface DocumentLinkProps {
  readonly name: DocumentName;
  readonly text: string;
}

/** A link that opens a document over the page, so that a form keeps its values. */
export function DocumentLink({ name, text }: DocumentLinkProps) {
  const [isOpen, setOpen] = useState(false);
  const open = (click: MouseEvent) => {
    if (click.metaKey || click.ctrlKey || click.shiftKey) return;
    click.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <a href={`/${name}`} onClick={open} className="inline-flex min-h-6 items-center text-link underline">
        {text}
      </a>
      {isOpen
        ? (
          <Suspense>
            <DocumentDialog name={name} onClose={() => setOpen(false)} />
          </Suspense>
        )
        : null}
    </>
  );
}

import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { listTemplates } from '../../client.ts';
import { DiscardDialog, PublishDialog } from './draft-dialogs.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

type Template = OutputOf<typeof listTemplates>['templates'][number];
const ACTIONS = ['edit', 'publish', 'discard', 'history'] as const;
type Action = (typeof ACTIONS)[number];

/** The kinds of documents, each with its published version and its draft. */
export function Templates() {
  const { t } = useTranslation('agreements');
  const read = useRead(listTemplates, {});
  const [open, setOpen] = useState<{ readonly template: Template; readonly action: Action } | null>(null);
  const columns: readonly Column<Template>[] = [
    {
      key: 'kind',
      text: t('admin.kind'),
      cell: ({ kind }) => <span className="font-medium">{t(`kinds.${kind}`)}</span>,
    },
    { key: 'current', text: t('admin.current'), cell: ({ current }) => <Current current={current} /> },
    {
      key: 'draft',
      text: t('admin.draft'),
      cell: ({ draft }) => (draft
        ? `${t('admin.versionNumber', { version: draft.version })} (${draft.languages.join(', ')})`
        : <span className="text-muted">{t('admin.noDraft')}</span>),
    },
    {
      key: 'actions',
      text: t('admin.actions'),
      cell: (template) => (
        <Actions
          template={template}
          onChoose={(action) => setOpen({ template, action })}
        />
      ),
    },
  ];
  const onClose = () => setOpen(null);
  return (
    <Loaded read={read} height="h-64">
      {({ templates }) => (
        <>
          <Table
            blocks
            caption={t('admin.templates')}
            columns={columns}
            rows={templates}
            keyOf={({ kind }) => kind}
          />
          {open ? <ActionDialog {...open} onClose={onClose} /> : null}
        </>
      )}
    </Loaded>
  );
}

function Current({ current }: Pick<Template, 'current'>) {
  const { t } = useTranslation('agreements');
  if (!current) return <span className="text-muted">{t('admin.none')}</span>;
  const { version, published_at: at, issued, signed } = current;
  return (
    <>
      {t('admin.versionNumber', { version })}
      {at
        ? (
          <>
            , <Moment at={at} show="day" />
          </>
        )
        : null}
      <span className="block text-muted">{t('admin.signedOf', { signed, issued })}</span>
    </>
  );
}

function Actions({ template: { kind, draft }, onChoose }: {
  readonly template: Template;
  readonly onChoose: (action: Action) => void;
}) {
  const { t } = useTranslation('agreements');
  return (
    <div className="flex flex-wrap gap-2 max-sm:justify-end">
      {ACTIONS.filter((action) => draft !== null || action === 'edit' || action === 'history').map((
        action,
      ) => (
        <Button
          key={action}
          tone={action === 'publish' ? 'primary' : 'secondary'}
          aria-label={t(`admin.actionOf.${action}`, { kind: t(`kinds.${kind}`) })}
          onClick={() => onChoose(action)}
        >
          {t(`admin.action.${action}`)}
        </Button>
      ))}
    </div>
  );
}

function ActionDialog({ template: { kind, draft }, action, onClose }: {
  readonly template: Template;
  readonly action: Action;
  readonly onClose: () => void;
}) {
  if (action === 'edit') return <TemplateEditor kind={kind} onClose={onClose} />;
  if (action === 'history') return <VersionsDialog kind={kind} onClose={onClose} />;
  if (!draft) return null;
  const Asked = action === 'publish' ? PublishDialog : DiscardDialog;
  return <Asked kind={kind} draft={draft} onClose={onClose} />;
}

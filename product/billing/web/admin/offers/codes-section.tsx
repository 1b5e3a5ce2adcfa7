import { MINUTE_MS } from '#platform/time/units.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { z } from 'zod';
import { changePromoCode, createPromoCode, listPromoCodes, stopPromoCode } from '../../../client.ts';
import type { PromoCodeView } from '../../../contract/operator.ts';
import {
  MAX_CODE_TOKENS,
  MAX_CODE_USES,
  MAX_PROMO_CODE_LENGTH,
  MIN_PROMO_CODE_LENGTH,
} from '../../../rules.ts';
import { ReasonDialog, ReasonField, reasonOf } from '../reason.tsx';
import { useSaved } from '../reload.ts';

type Code = z.infer<typeof PromoCodeView>;
type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'stop'; readonly code: Code };

/** Promo codes with how often they were used. */
export function CodesSection() {
  const { t } = useTranslation('billing');
  const [open, setOpen] = useState<Open | null>(null);
  const read = useReadPages(listPromoCodes, {});
  return (
    <Section
      anchor="codes"
      title={t('web.operator.code.title')}
      lead={t('web.operator.code.lead')}
      action={
        <Button icon={<Plus size={20} aria-hidden />} onClick={() => setOpen({ kind: 'new' })}>
          {t('web.operator.code.new')}
        </Button>
      }
    >
      <Loaded read={read} height="h-32">
        {({ pages }) => (
          <>
            {pages[0]?.codes.length === 0
              ? <EmptyState text={t('web.operator.code.none')} />
              : <Codes codes={pages.flatMap(({ codes }) => codes)} onOpen={setOpen} />}
            <MorePages read={read} />
          </>
        )}
      </Loaded>
      {open?.kind === 'new' ? <CodeDialog code={null} onClose={() => setOpen(null)} /> : null}
      {open?.kind === 'edit' ? <CodeDialog code={open.code} onClose={() => setOpen(null)} /> : null}
      {open?.kind === 'stop'
        ? (
          <ReasonDialog
            call={stopPromoCode}
            input={{ code: open.code.code }}
            ends
            shape={async () => (await import('../../../contract/operator.ts')).stopPromoCode}
            title={t('web.operator.code.stopTitle', { name: open.code.code })}
            confirm={t('web.operator.code.stop')}
            onClose={() => setOpen(null)}
          >
            {t('web.operator.code.stopText', { count: open.code.uses })}
          </ReasonDialog>
        )
        : null}
    </Section>
  );
}

function Codes({ codes, onOpen }: { codes: readonly Code[]; onOpen: (open: Open) => void }) {
  const { t, i18n } = useTranslation('billing');
  const count = (value: number) => formatCount(value, i18n.language);
  const columns: readonly Column<Code>[] = [
    { key: 'code', text: t('web.promo.code'), cell: ({ code }) => <span className="font-bold">{code}</span> },
    {
      key: 'tokens',
      text: t('web.operator.product.tokens'),
      numeric: true,
      cell: ({ tokens }) => (
        <TokenAmount
          tokens={tokens}
        />
      ),
    },
    {
      key: 'uses',
      text: t('web.operator.code.uses'),
      numeric: true,
      cell: ({ uses, max_uses: most }) => `${count(uses)} / ${most === null ? '∞' : count(most)}`,
    },
    { key: 'from', text: t('web.operator.code.from'), cell: ({ starts_at: at }) => <Moment at={at} /> },
    {
      key: 'to',
      text: t('web.operator.code.to'),
      cell: ({ ends_at: at }) => (at ? <Moment at={at} /> : '—'),
    },
    {
      key: 'state',
      text: t('web.orders.status'),
      cell: ({ running }) => (
        <Pill tone={running ? 'online' : 'quiet'}>
          {t(running ? 'web.operator.code.running' : 'web.operator.code.over')}
        </Pill>
      ),
    },
    {
      key: 'do',
      text: t('web.admin.do'),
      cell: (code) => (
        <span className="flex gap-2">
          <Button
            aria-label={`${t('web.operator.edit')} ${code.code}`}
            onClick={() => onOpen({ kind: 'edit', code })}
          >
            {t('web.operator.edit')}
          </Button>
          {code.running
            ? (
              <Button
                aria-label={`${t('web.operator.code.stop')} ${code.code}`}
                onClick={() => onOpen({ kind: 'stop', code })}
              >
                {t('web.operator.code.stop')}
              </Button>
            )
            : null}
        </span>
      ),
    },
  ];
  return (
    <Table
      caption={t('web.operator.code.title')}
      columns={columns}
      rows={codes}
      keyOf={({ code }) => code}
    />
  );
}

/** Parses a local date and time of a form; null when empty. */
const instantOf = (fields: FormData, name: string): string | null => {
  const typed = textOf(fields, name);
  return typed === '' ? null : new Date(typed).toISOString();
};
/** Formats an instant as a form's local date and time. */
function localOf(at: string | null): string {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Creates a code, or changes the limit and the end of one. */
function CodeDialog({ code, onClose }: { code: Code | null; onClose: () => void }) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const form = useForm(code ? changePromoCode : createPromoCode, {
    shape: async () => {
      const operator = await import('../../../contract/operator.ts');
      return code ? operator.changePromoCode : operator.createPromoCode;
    },
    read: (fields) => {
      const uses = textOf(fields, 'max_uses');
      const starts = instantOf(fields, 'starts_at');
      const changeable = {
        max_uses: uses === '' ? null : Number(uses),
        ends_at: instantOf(fields, 'ends_at'),
        reason: reasonOf(fields),
      };
      return code ? { ...changeable, code: code.code } : {
        ...changeable,
        code: textOf(fields, 'code').trim(),
        tokens: Number(textOf(fields, 'tokens')),
        ...(starts === null ? {} : { starts_at: starts }),
      };
    },
    fieldOf: { code_taken: 'code', code_times: code ? 'max_uses' : 'ends_at' },
    onDone: async () => {
      await saved();
      onClose();
    },
  });
  const id = 'operator-code';
  return (
    <Dialog
      title={code ? t('web.operator.code.editTitle', { name: code.code }) : t('web.operator.code.new')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.operator.cancel')}</Button>
          <Button type="submit" form={id} tone="primary" busy={form.busy}>{t('web.operator.save')}</Button>
        </>
      }
    >
      <form id={id} {...form.props} className="flex flex-col gap-4">
        {code ? null : (
          <>
            <TextField
              {...form.field('code')}
              label={t('web.promo.code')}
              required
              minLength={MIN_PROMO_CODE_LENGTH}
              maxLength={MAX_PROMO_CODE_LENGTH}
              pattern="[A-Za-z0-9_\-]+"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              hint={t('web.operator.code.nameHint')}
            />
            <TextField
              {...form.field('tokens')}
              type="number"
              min={1}
              max={MAX_CODE_TOKENS}
              required
              label={t('web.operator.product.tokens')}
              hint={t('web.operator.code.tokensHint')}
            />
            <TextField
              {...form.field('starts_at')}
              type="datetime-local"
              label={t('web.operator.code.from')}
              hint={t('web.operator.code.fromHint')}
            />
          </>
        )}
        <TextField
          {...form.field('max_uses')}
          type="number"
          min={Math.max(1, code?.uses ?? 1)}
          max={MAX_CODE_USES}
          label={t('web.operator.code.most')}
          hint={t('web.operator.code.mostHint')}
          defaultValue={code?.max_uses ?? ''}
        />
        <TextField
          {...form.field('ends_at')}
          type="datetime-local"
          label={t('web.operator.code.to')}
          hint={t('web.operator.code.toHint')}
          defaultValue={localOf(code?.ends_at ?? null)}
        />
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}

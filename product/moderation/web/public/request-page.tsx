import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { addressUnknown, notDepicted, sendRequest, workMissing } from '../../client.ts';
import type { RequestKind } from '../../rules/clocks.ts';
import {
  MAX_ADDRESSES,
  MAX_STATEMENT_LENGTH,
  MIN_STATEMENT_LENGTH,
  RELATIONS,
  type Relation,
} from '../../rules/requests.ts';
import { FORMS } from './forms.ts';
import { NameField, SignatureField } from './own-fields.tsx';

const load = routeData({ texts: ['moderation'], always: true });
export { load as clientLoader, load as loader };
export const handle = { always: true };

const FIELD_OF = {
  [addressUnknown.code]: 'addresses',
  [notDepicted.code]: 'relation',
  [workMissing.code]: 'work',
};

/** Number and key of a request that was sent. */
interface Sent {
  readonly reference: string;
  readonly key: string;
}

/** /report/take-down, /report/copyright and /report/complaint. */
export default function RequestPage() {
  const { t } = useTranslation('moderation');
  const { pathname } = useLocation();
  const kind = FORMS.find(({ path }) => pathname.startsWith(path))?.kind ?? 'complaint';
  const [sent, setSent] = useState<Sent | null>(null);
  if (sent) return <SentPage sent={sent} kind={kind} />;
  return (
    <Narrow title={t(`public.forms.${kind}.title`)} lead={t(`public.forms.${kind}.lead`)}>
      <RequestForm key={kind} kind={kind} onSent={setSent} />
    </Narrow>
  );
}

/** The number and the link, which are shown once. */
function SentPage({ sent: { reference, key }, kind }: { sent: Sent; kind: RequestKind }) {
  const { t } = useTranslation('moderation');
  const place = useRef<HTMLDivElement>(null);
  // The button at the end of the form had the focus: what follows stands at the top.
  useEffect(() => place.current?.closest('main')?.querySelector('h1')?.focus(), []);
  return (
    <Narrow title={t('public.sent.title')}>
      <div ref={place} className="flex flex-col items-start gap-4">
        <p role="status">{t(`public.forms.${kind}.next`)}</p>
        <p>
          {t('public.sent.number')} <strong className="tabular">{reference}</strong>
        </p>
        <p className="text-sm text-muted">{t('public.sent.link')}</p>
        <ButtonLink to={`/report/${reference}?key=${key}`} tone="primary">{t('public.sent.open')}</ButtonLink>
      </div>
    </Narrow>
  );
}

/** What is typed stays until it is sent. */
function RequestForm({ kind, onSent }: { kind: RequestKind; onSent: (sent: Sent) => void }) {
  const { t } = useTranslation('moderation');
  const form = useForm(sendRequest, {
    shape: async () => (await import('../../contract/requests.ts')).sendRequest,
    read: (fields) => ({
      kind,
      relation: textOf(fields, 'relation') as Relation,
      name: textOf(fields, 'name').trim(),
      email: textOf(fields, 'email').trim(),
      addresses: textOf(fields, 'addresses').split('\n').map((line) => line.trim()).filter(Boolean),
      statement: textOf(fields, 'statement').trim(),
      ...(kind === 'copyright' ? { work: textOf(fields, 'work').trim() } : {}),
      good_faith: (fields.get('good_faith') !== null) as true,
      accurate: (fields.get('accurate') !== null) as true,
      signature: textOf(fields, 'signature').trim(),
    }),
    fieldOf: FIELD_OF,
    onDone: onSent,
  });
  const relations = RELATIONS.filter((relation) => kind === 'complaint' || relation !== 'other');
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <Select
        {...form.field('relation')}
        label={t(kind === 'copyright' ? 'public.owner' : 'public.relation')}
        required
        placeholder={t('report.choose')}
        defaultValue=""
        options={relations.map((value) => ({
          value,
          text: t(kind === 'copyright' ? `public.owners.${value}` : `public.relations.${value}`),
        }))}
      />
      {kind === 'copyright'
        ? (
          <TextArea
            {...form.field('work')}
            label={t('public.work')}
            hint={t('public.workHint')}
            required
            rows={3}
            maxLength={MAX_STATEMENT_LENGTH}
          />
        )
        : null}
      <TextArea
        {...form.field('addresses')}
        label={t('public.addresses')}
        hint={t('public.addressesHint', { count: MAX_ADDRESSES })}
        required
        rows={3}
        inputMode="url"
        spellCheck={false}
      />
      <TextArea
        {...form.field('statement')}
        label={t(`public.forms.${kind}.statement`)}
        hint={t('public.statementHint')}
        required
        rows={5}
        minLength={MIN_STATEMENT_LENGTH}
        maxLength={MAX_STATEMENT_LENGTH}
      />
      <NameField field={form.field('name')} />
      <TextField
        {...form.field('email')}
        type="email"
        label={t('public.email')}
        hint={t('public.emailHint')}
        required
        autoComplete="email"
      />
      <Checkbox {...form.field('good_faith')} label={t(`public.forms.${kind}.goodFaith`)} required />
      <Checkbox {...form.field('accurate')} label={t(`public.forms.${kind}.accurate`)} required />
      <SignatureField field={form.field('signature')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" busy={form.busy}>{t(`public.forms.${kind}.send`)}</Button>
      <p className="text-sm text-muted">
        {t('public.privacy')}{' '}
        <Link to="/privacy" className="text-link underline">{t('public.privacyLink')}</Link>
      </p>
    </form>
  );
}

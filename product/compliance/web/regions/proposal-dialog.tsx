import type { InputOf } from '#platform/contract/call.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { LOCALES } from '#product/site/rules.ts';
import { useState } from 'react';
import { proposePolicy } from '../../client.ts';
import type { PolicyView } from '../../contract/policies.ts';
import { GOOD_DAYS, LIVENESS_LEVELS, REGION_RULES, VERIFICATION_METHODS } from '../../rules.ts';
import { VPN_CLASSES } from '../../rules/policy-table.ts';
import {
  MAX_MINIMUM_AGE,
  MAX_NOTE_LENGTH,
  MAX_SOURCE_LENGTH,
  MAX_TEXT_LENGTH,
  MIN_SOURCE_LENGTH,
} from '../../rules/proposals.ts';
import { usePoliciesSaved } from './decision-dialog.tsx';
import { PlaceFields } from './place-fields.tsx';
import { Changes, Day } from './policy-parts.tsx';
import { usePlaceName } from './words.ts';

type Proposal = InputOf<typeof proposePolicy>;

/** The row in force for a place: its own, its country’s, or that of everywhere. */
const currentFor = (inForce: readonly PolicyView[], region: string): PolicyView | undefined =>
  [region, region.split('-')[0] ?? '', '*'].flatMap((place) =>
    inForce.find((row) => row.region === place) ?? []
  )[0];

const isOneOf = <Value extends string>(list: readonly Value[], text: string): Value =>
  list.find((value) => value === text) ?? list[0] as Value;

/** The proposal that the fields hold. */
function proposalIn(fields: FormData, region: string): Proposal {
  const rule = isOneOf(REGION_RULES, textOf(fields, 'rule'));
  const lasts = textOf(fields, 'proof_lasts');
  const languages = LOCALES.flatMap((locale) => {
    const text = textOf(fields, `text-${locale}`).trim();
    return text === '' ? [] : [[locale, text] as const];
  });
  const zone = textOf(fields, 'time_zone').trim();
  return {
    region,
    from: textOf(fields, 'from'),
    until: textOf(fields, 'until') || null,
    rule,
    minimum_age: Number(textOf(fields, 'minimum_age')),
    methods: rule === 'verify' ? VERIFICATION_METHODS.filter((method) => fields.has(`method-${method}`)) : [],
    liveness: isOneOf(LIVENESS_LEVELS, textOf(fields, 'liveness') || 'passive'),
    proof_lasts: lasts === 'session' || lasts === 'good' ? lasts : Number(textOf(fields, 'days') || 365),
    anonymous: fields.has('anonymous'),
    vpn_class: isOneOf(VPN_CLASSES, textOf(fields, 'vpn_class')),
    time_zone: zone === '' ? null : zone,
    texts: Object.fromEntries(languages),
    source: textOf(fields, 'source').trim(),
    note: textOf(fields, 'note').trim(),
    is_confirmed: fields.has('is_confirmed'),
  };
}

/** Proposes a policy, beginning with the row in force for the place. */
export function ProposalDialog({ start, inForce, onClose }: {
  /** The row to begin with; null for any place. */
  start: PolicyView | null;
  inForce: readonly PolicyView[];
  onClose: () => void;
}) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  const toast = useToast();
  const saved = usePoliciesSaved();
  const [region, setRegion] = useState(start?.region ?? '');
  const [typed, setTyped] = useState<Proposal | null>(null);
  const current = region === '' ? undefined : currentFor(inForce, region);
  const begin = start ?? inForce.find((row) => row.region === '*');
  const form = useForm(proposePolicy, {
    shape: async () => (await import('../../contract/policies.ts')).proposePolicy,
    read: (fields) => proposalIn(fields, region),
    check: (): Record<string, string> => (region === '' ? { region: t('regions.form.choose') } : {}),
    fieldOf: {
      policy_place_unknown: 'region',
      policy_zone_unknown: 'time_zone',
      policy_days_reversed: 'until',
      policy_over: 'until',
      policy_day_past: 'from',
      policy_methods_wrong: 'methods',
    },
    onDone: async () => {
      await saved();
      toast(t('regions.form.done', { place: nameOf(region) }), 'success');
      onClose();
    },
  });
  const rule = typed?.rule ?? begin?.rule ?? 'declare';
  const id = 'policy-proposal';
  return (
    <Dialog
      title={t('regions.propose')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('regions.decide.cancel')}</Button>
          <Button type="submit" form={id} tone="primary" busy={form.busy}>{t('regions.form.submit')}</Button>
        </>
      }
    >
      <form
        id={id}
        {...form.props}
        onChange={() => setTyped(proposalIn(form.fields(), region))}
        className="flex flex-col gap-4"
      >
        <p className="text-sm text-muted">{t('regions.form.lead')}</p>
        {start === null
          ? (
            <PlaceFields
              region={region}
              others={[{ code: '*', name: t('regions.everywhere') }]}
              error={form.field('region').error}
              onChange={setRegion}
            />
          )
          : <p className="font-bold">{nameOf(region)}</p>}
        <DayFields form={form} />
        <Select
          {...form.field('rule')}
          label={t('regions.parts.rule')}
          defaultValue={begin?.rule ?? 'declare'}
          options={REGION_RULES.map((value) => ({
            value,
            text: t(keyOf('compliance', 'regions.rules', value)),
          }))}
        />
        <TextField
          {...form.field('minimum_age')}
          type="number"
          min={18}
          max={MAX_MINIMUM_AGE}
          required
          label={t('regions.parts.age')}
          defaultValue={begin?.minimum_age ?? 18}
        />
        {rule === 'verify' ? <ProofFields form={form} begin={begin} /> : null}
        <Select
          {...form.field('vpn_class')}
          label={t('regions.parts.vpn')}
          defaultValue={begin?.vpn_class ?? 'as_place'}
          options={VPN_CLASSES.map((value) => ({
            value,
            text: t(keyOf('compliance', 'regions.vpn', value)),
          }))}
        />
        <LawFields form={form} texts={start?.texts ?? {}} />
        <Checkbox {...form.field('is_confirmed')} label={t('regions.form.confirmed')} />
        {typed && current ? <WhatChanges before={current} after={typed} /> : null}
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}

type ProposalForm = ReturnType<typeof useForm<typeof proposePolicy>>;

/** The first and last day of a policy. */
function DayFields({ form }: { form: ProposalForm }) {
  const { t } = useTranslation('compliance');
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField {...form.field('from')} type="date" required label={t('regions.form.from')} />
      <TextField
        {...form.field('until')}
        type="date"
        label={t('regions.form.until')}
        hint={t('regions.form.untilHint')}
      />
    </div>
  );
}

/** The law behind a policy, its note, the zone of its days, and what the gate shows. */
function LawFields({ form, texts }: { form: ProposalForm; texts: PolicyView['texts'] }) {
  const { t } = useTranslation('compliance');
  return (
    <>
      <TextField
        {...form.field('source')}
        required
        minLength={MIN_SOURCE_LENGTH}
        maxLength={MAX_SOURCE_LENGTH}
        label={t('regions.parts.source')}
        hint={t('regions.form.sourceHint')}
      />
      <TextArea {...form.field('note')} maxLength={MAX_NOTE_LENGTH} label={t('regions.form.note')} />
      <TextField
        {...form.field('time_zone')}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        label={t('regions.form.zone')}
        hint={t('regions.form.zoneHint')}
      />
      <details>
        <summary className="min-h-11 cursor-pointer py-2 text-sm font-medium">
          {t('regions.form.texts')}
        </summary>
        <p className="mb-2 text-sm text-muted">{t('regions.form.textsHint')}</p>
        <div className="flex flex-col gap-3">
          {LOCALES.map((locale) => (
            <TextArea
              key={locale}
              {...form.field(`text-${locale}`)}
              lang={locale}
              maxLength={MAX_TEXT_LENGTH}
              label={new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale}
              defaultValue={texts[locale] ?? ''}
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** What a proposal changes in the policy in force. */
function WhatChanges({ before, after }: { before: PolicyView; after: Proposal }) {
  const { t } = useTranslation('compliance');
  return (
    <section
      aria-labelledby="policy-changes"
      className="flex flex-col gap-2 rounded-control bg-raised p-3"
    >
      <h3 id="policy-changes" className="text-sm font-bold">{t('regions.form.changes')}</h3>
      <Changes before={before} after={after} />
      {after.from === '' ? null : (
        <p className="text-sm text-muted">
          {t('regions.since')} <Day day={after.from} />
        </p>
      )}
    </section>
  );
}

/** What a proof has to be, where the rule asks for one. */
function ProofFields(
  { form, begin }: { form: ProposalForm; begin: PolicyView | undefined },
) {
  const { t } = useTranslation('compliance');
  const wrong = form.field('methods').error;
  const lasts = begin?.proof_lasts ?? 365;
  return (
    <>
      <fieldset
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : 'methods-wrong'}
      >
        <legend className="text-sm font-medium">{t('regions.parts.methods')}</legend>
        <div className="grid sm:grid-cols-2">
          {VERIFICATION_METHODS.map((method) => (
            <Checkbox
              key={method}
              name={`method-${method}`}
              label={t(keyOf('compliance', 'regions.methods', method))}
              defaultChecked={begin?.methods.includes(method) ?? false}
            />
          ))}
        </div>
        {wrong === undefined ? null : <p id="methods-wrong" className="text-sm text-danger-text">{wrong}</p>}
      </fieldset>
      <Select
        {...form.field('liveness')}
        label={t('regions.parts.liveness')}
        defaultValue={begin?.liveness ?? 'passive'}
        options={LIVENESS_LEVELS.map((value) => ({
          value,
          text: t(keyOf('compliance', 'regions.liveness', value)),
        }))}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          {...form.field('proof_lasts')}
          label={t('regions.parts.lasts')}
          defaultValue={typeof lasts === 'number' ? 'days' : lasts}
          options={[
            { value: 'session', text: t('regions.lasts.session') },
            { value: 'days', text: t('regions.form.someDays') },
            { value: 'good', text: t('regions.lasts.good') },
          ]}
        />
        <TextField
          {...form.field('days')}
          type="number"
          min={1}
          max={GOOD_DAYS}
          label={t('regions.form.days')}
          defaultValue={typeof lasts === 'number' ? lasts : 365}
        />
      </div>
      <Checkbox
        name="anonymous"
        label={t('regions.form.anonymous')}
        defaultChecked={begin?.anonymous ?? false}
      />
    </>
  );
}

import { useAction, useCallAddress } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState, type ReactNode } from 'react';
import { decideApplication, getIdentityPicture } from '../../client.ts';
import type { OpenedView } from '../../contract/review.ts';
import { MAX_NOTE_LENGTH, REASONS, type Reason, type Step } from '../../rules.ts';
import { showDecided } from '../live.ts';

interface OpenedProps {
  readonly application: OpenedView;
  readonly onClose: () => void;
}

/** An application beside its pictures, and the decision about each step. */
export function OpenedApplication({ application, onClose }: OpenedProps) {
  const { t } = useTranslation('identity');
  const isWaiting = application.state === 'waiting' || application.state === 'second';
  return (
    <div className="flex flex-col gap-6">
      <div>
        <Button onClick={onClose}>{t('review.back')}</Button>
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Section title={t('review.facts')} anchor="facts">
          <Facts application={application} />
        </Section>
        <Section title={t('review.pictures')} anchor="pictures">
          <Pictures application={application} />
        </Section>
      </div>
      {application.decisions.length === 0 ? null : (
        <Section title={t('review.before')} anchor="before">
          <ul className="flex flex-col gap-2 text-sm">
            {application.decisions.map(({ reviewer, verdict, note, at }) => (
              <li key={at}>
                @{reviewer ?? '–'}: {t(`verdicts.${verdict}`)}, <Moment at={at} />
                {note === '' ? null : (
                  <>
                    – <Typed>{note}</Typed>
                  </>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {isWaiting
        ? (
          <Section title={t('review.decision')} lead={t('review.decisionLead')} anchor="decision">
            <DecisionForm application={application} onClose={onClose} />
          </Section>
        )
        : null}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-3 border-b border-line py-2">
      <dt className="w-44 text-muted">{name}</dt>
      <dd className="min-w-0 grow basis-48 break-words">{children}</dd>
    </div>
  );
}

function Facts({ application }: Pick<OpenedProps, 'application'>) {
  const { t, i18n } = useTranslation('identity');
  const { who, document, payout_country: payout, about, agreement } = application;
  const places = new Intl.DisplayNames(i18n.language, { type: 'region', fallback: 'code' });
  const placeOf = (code: string): string => places.of(code) ?? code;
  const warning = (text: string) => <strong className="text-danger-text">{text}</strong>;
  return (
    <dl className="text-sm">
      {who === null ? null : (
        <>
          <Fact name={t('fields.legalName')}>
            <Typed>{who.legal_name}</Typed>
          </Fact>
          <Fact name={t('review.birthDate')}>
            <span className="tabular">{who.birth_date}</span> {who.is_of_age
              ? t('review.age', { age: who.age })
              : warning(t('review.tooYoung', { age: who.age }))}
            {who.account_birth_date === who.birth_date
              ? null
              : <>{warning(t('review.otherBirthDate', { date: who.account_birth_date }))}</>}
          </Fact>
          <Fact name={t('fields.country')}>{placeOf(who.country)}</Fact>
          <Fact name={t('fields.aliases')}>
            {who.aliases.length === 0 ? '–' : who.aliases.map((name) => (
              <span key={name} className="block">
                <Typed>{name}</Typed>
              </span>
            ))}
          </Fact>
        </>
      )}
      {document === null ? null : (
        <>
          <Fact name={t('fields.kind')}>{t(`documents.${document.kind}`)}, {placeOf(document.country)}</Fact>
          <Fact name={t('fields.numberEnd')}>{document.number_end}</Fact>
          <Fact name={t('fields.expiresOn')}>
            <span className="tabular">{document.expires_on}</span>
            {document.is_expired ? <>{warning(t('review.expired'))}</> : null}
          </Fact>
        </>
      )}
      {payout === null ? null : <Fact name={t('fields.payoutCountry')}>{placeOf(payout)}</Fact>}
      {agreement === null ? null : <Fact name={t('steps.agreement.title')}>{agreement}</Fact>}
      <Fact name={t('fields.about')}>
        <Typed>{about}</Typed>
      </Fact>
    </dl>
  );
}

function Pictures({ application }: Pick<OpenedProps, 'application'>) {
  const { t } = useTranslation('identity');
  const addressOf = useCallAddress();
  const { id, look, document, has_selfie: hasSelfie } = application;
  const there = [
    ...document?.has_front ? ['front' as const] : [],
    ...document?.has_back ? ['back' as const] : [],
    ...hasSelfie ? ['selfie' as const] : [],
  ];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {there.map((picture) => (
        <figure key={picture} className="flex flex-col gap-2">
          <img
            src={addressOf(getIdentityPicture, { id, picture, look })}
            alt={t(`picture.${picture}`)}
            className="w-full rounded-control bg-raised object-contain"
          />
          <figcaption className="text-sm text-muted">{t(`picture.${picture}`)}</figcaption>
        </figure>
      ))}
    </div>
  );
}

interface Choice {
  readonly reason: Reason | null;
  readonly note: string;
}

/** Every step is accepted until a reason is chosen for it. */
function DecisionForm({ application, onClose }: OpenedProps) {
  const { t } = useTranslation('identity');
  const toast = useToast();
  const { run, busy, problem } = useAction(decideApplication, showDecided);
  const [choices, setChoices] = useState<ReadonlyMap<Step, Choice>>(new Map());
  const [note, setNote] = useState('');
  const { id, look, steps } = application;
  const rejected = [...choices.values()].filter(({ reason }) => reason !== null).length;
  const choiceOf = (step: Step): Choice => choices.get(step) ?? { reason: null, note: '' };
  const choose = (step: Step, change: Partial<Choice>) =>
    setChoices(new Map(choices).set(step, { ...choiceOf(step), ...change }));
  const decide = async (isSecondLook: boolean) => {
    const done = await run({
      id,
      look,
      second_look: isSecondLook,
      note: note.trim(),
      steps: isSecondLook ? [] : steps.map(({ step }) => {
        const { reason, note: said } = choiceOf(step);
        return reason === null
          ? { step, accepted: true, note: '' }
          : { step, accepted: false, reason, note: said.trim() };
      }),
    });
    if (!done) return;
    const { state } = done;
    toast(t(`review.done.${state === 'accepted' || state === 'rejected' ? state : 'second'}`), 'success');
    onClose();
  };
  return (
    <div className="flex flex-col gap-4">
      {steps.map(({ step }) => (
        <div key={step} className="grid gap-3 sm:grid-cols-2">
          <Select
            label={t(`steps.${step}.title`)}
            value={choiceOf(step).reason ?? ''}
            onChange={({ target }) => choose(step, { reason: (target.value || null) as Reason | null })}
            options={[
              { value: '', text: t('review.acceptStep') },
              ...REASONS[step].map((value) => ({
                value,
                text: t('review.rejectStep', {
                  reason: value === 'other' ? t('review.other') : t(`reasons.${value}`),
                }),
              })),
            ]}
          />
          {choiceOf(step).reason === null ? null : (
            <TextField
              label={t('review.noteTo', { step: t(`steps.${step}.title`) })}
              required={choiceOf(step).reason === 'other'}
              maxLength={MAX_NOTE_LENGTH}
              autoComplete="off"
              value={choiceOf(step).note}
              onChange={({ target }) => choose(step, { note: target.value })}
            />
          )}
        </div>
      ))}
      <TextField
        label={t('review.internalNote')}
        hint={t('review.internalNoteHint')}
        maxLength={MAX_NOTE_LENGTH}
        autoComplete="off"
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      <FormError problem={problem} />
      <div className="flex flex-wrap gap-3">
        <Button tone={rejected > 0 ? 'danger' : 'primary'} busy={busy} onClick={() => void decide(false)}>
          {rejected > 0 ? t('review.reject', { count: rejected }) : t('review.accept')}
        </Button>
        <Button busy={busy} onClick={() => void decide(true)}>{t('review.secondLook')}</Button>
      </div>
    </div>
  );
}

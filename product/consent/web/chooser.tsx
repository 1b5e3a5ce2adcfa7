import type { Consent, Purpose } from '#platform/contract/context.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useId, useState, type ReactNode } from 'react';
import { saveConsent } from '../client.ts';
import { PURPOSES, withObjection, type ChosenIn } from '../rules.ts';
import { browserObjects, useConsent } from './consent.ts';
import { showConsent } from './live.ts';

const all = (isAllowed: boolean): Consent => ({
  preferences: isAllowed,
  statistics: isAllowed,
  marketing: isAllowed,
});

/** Saves a choice; refused purposes stop, and their data in this browser is deleted at once. */
export function useChoosing(chosenIn: Exclude<ChosenIn, 'browser'>) {
  const { run, busy, problem } = useAction(saveConsent, showConsent);
  const choose = (wanted: Consent) => run({ ...wanted, chosen_in: chosenIn });
  return { choose, busy, problem, accept: () => choose(all(true)), refuse: () => choose(all(false)) };
}

interface ChooserProps {
  readonly chosenIn: Exclude<ChosenIn, 'browser'>;
  readonly onSaved?: (allowed: Consent) => void;
}

/** Each purpose with an explanation: any can be allowed without the others. */
export function Chooser(props: ChooserProps) {
  const { allowed } = useConsent();
  // A choice made in another tab is shown here too.
  return <Choices key={JSON.stringify(allowed)} {...props} allowed={allowed} />;
}

function Choices({ chosenIn, onSaved, allowed }: ChooserProps & { readonly allowed: Consent }) {
  const { t } = useTranslation('consent');
  const [wanted, setWanted] = useState(allowed);
  const { choose, busy, problem } = useChoosing(chosenIn);
  const [objects] = useState(browserObjectsNow);
  const save = async (choice: Consent) => {
    const saved = await choose(choice);
    if (saved) onSaved?.(saved);
  };
  const shown = withObjection(wanted, objects);
  return (
    <div className="flex flex-col gap-4">
      {objects ? <p className="rounded-control bg-raised px-4 py-3 text-sm">{t('objects')}</p> : null}
      <Choice label={t('purposes.necessary.title')} text={t('purposes.necessary.text')} isOn isFixed />
      {PURPOSES.map((purpose: Purpose) => (
        <Choice
          key={purpose}
          label={t(`purposes.${purpose}.title`)}
          text={t(`purposes.${purpose}.text`)}
          isOn={shown[purpose]}
          isFixed={objects && purpose !== 'preferences'}
          onChange={(isOn) => setWanted({ ...wanted, [purpose]: isOn })}
        />
      ))}
      <FormError problem={problem} />
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => void save(shown)}>{t('save')}</Button>
        <Button busy={busy} onClick={() => void save(all(true))}>{t('acceptAll')}</Button>
        <Button busy={busy} onClick={() => void save(all(false))}>{t('refuseAll')}</Button>
      </div>
    </div>
  );
}

/** The server does not know the browser that will show its document. */
const browserObjectsNow = (): boolean => typeof navigator === 'object' && browserObjects();

function Choice({ label, text, isOn, isFixed, onChange }: {
  readonly label: ReactNode;
  readonly text: string;
  readonly isOn: boolean;
  readonly isFixed: boolean;
  readonly onChange?: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div role="group" aria-describedby={id}>
      <Checkbox
        label={<b>{label}</b>}
        checked={isOn}
        disabled={isFixed}
        onChange={({ target }) => onChange?.(target.checked)}
      />
      <p id={id} className="ml-8 text-sm text-muted">{text}</p>
    </div>
  );
}

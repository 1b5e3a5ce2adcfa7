import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Cast, Video } from 'lucide-react';
import { useId } from 'react';
import type { StreamingTech } from '../../rules.ts';

const CHOICES = [['webrtc', Video], ['obs', Cast]] as const;

/** Choice between broadcasting from this page and from an encoder. */
export function TechChoice({ value, onChange }: {
  value: StreamingTech;
  onChange: (value: StreamingTech) => void;
}) {
  const { t } = useTranslation('broadcast');
  const name = useId();
  return (
    <fieldset className="inline-flex flex-wrap gap-1 rounded-control border border-line bg-surface p-1">
      <legend className="sr-only">{t('tech.title')}</legend>
      {CHOICES.map(([tech, Icon]) => (
        <label
          key={tech}
          className="flex min-h-11 cursor-pointer items-center gap-2 rounded-control px-4 text-sm font-medium
            text-muted has-checked:bg-raised has-checked:text-text has-focus-visible:outline-2
            has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            value={tech}
            checked={value === tech}
            className="sr-only"
            onChange={() => onChange(tech)}
          />
          <Icon size={20} aria-hidden />
          {t(`tech.${tech}`)}
        </label>
      ))}
    </fieldset>
  );
}

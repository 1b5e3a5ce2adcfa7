import type { OutputOf } from '#platform/contract/call.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { keep } from '#product/accounts/web/preferences.ts';
import type { getSiteConfig } from '#product/site/contract.ts';
import { BANNER_COOKIE } from '#product/site/rules/banner.ts';
import { X } from 'lucide-react';
import { Link } from 'react-router';

interface BannerProps {
  readonly banner: NonNullable<OutputOf<typeof getSiteConfig>['banner']>;
  readonly close: (id: number) => void;
}

const LINK = 'flex h-full min-w-0 grow items-center justify-center text-center text-sm font-medium '
  + 'text-link hover:underline -outline-offset-2';

/** The operator's banner, one line: a text or a picture with a link, and a button that closes it. */
export default function Banner({ banner: { id, text, image_path: image, link }, close }: BannerProps) {
  const { t } = useTranslation('screens');
  const content = image === null
    ? <span className="line-clamp-2">{text}</span>
    : <img src={image} alt={text} height={48} className="h-12 w-auto max-w-full object-contain" />;
  return (
    <aside
      aria-label={t('banner.label')}
      className="flex h-full items-center border-b border-line bg-surface pl-3 sm:pl-6"
    >
      {link.startsWith('/')
        ? <Link to={link} className={LINK}>{content}</Link>
        : <a href={link} rel="noopener" className={LINK}>{content}</a>}
      <IconButton
        label={t('banner.close')}
        onClick={() => {
          keep(BANNER_COOKIE, String(id));
          close(id);
        }}
      >
        <X size={18} aria-hidden />
      </IconButton>
    </aside>
  );
}

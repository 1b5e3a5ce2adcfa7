import { useEffect, useState } from 'react';

/** Images of Casa Salsa; each visit draws one, all with the same chance (spec 3 §9). */
const IMAGES = 4;

/**
 * The image above the rooms of Casa Salsa. It is drawn in the browser, because documents are cached and the
 * same for everybody; its space is reserved from the start. Decorative.
 */
export function CasaSalsaImage() {
  const [image, setImage] = useState<number | null>(null);
  useEffect(() => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    setImage(1 + (byte % IMAGES));
  }, []);
  return (
    <div className="my-3 aspect-4/1 max-h-60 w-full overflow-hidden rounded-card bg-raised">
      {image === null
        ? null
        : (
          <img
            src={`/images/casa-salsa-${image}.svg`}
            alt=""
            width={960}
            height={240}
            className="size-full object-cover"
          />
        )}
    </div>
  );
}

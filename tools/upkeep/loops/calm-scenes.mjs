/** Light, water and silk: eight calm scenes. `t` runs from 0 to 1 in a loop. */
import {
  backdrop,
  blur,
  bust,
  disc,
  down,
  each,
  glow,
  HEADPHONES,
  HEIGHT,
  KNOT,
  path,
  round,
  scatter,
  stops,
  swell,
  wave,
  WIDTH,
} from './draw.mjs';

export const calmScenes = {
  candle: (t) => {
    const flicker = 0.5 * wave(t, 7) + 0.3 * wave(t, 11, 0.3) + 0.2 * wave(t, 17, 0.6);
    const lean = 5 * wave(t, 3) + 3 * wave(t, 5, 0.4);
    const tip = 96 - 8 * flicker;
    return `<defs>${down('wall', '#1c0f14', '#2a1414', '#120909')}${
      glow(
        'halo',
        '#ff9a3c',
        0.62 + 0.08 *
            flicker,
      )
    }
      ${glow('near', '#ffd27a', 0.75)}${down('wax', '#ffdca8', '#e0925a', '#7c3d26')}
      ${down('flame', '#ffb347', '#fff1b8', '#ffcf6b')}${blur('soft', 3)}${blur('far', 9)}</defs>
      ${backdrop('url(#wall)')}
      ${
      each(9, (i) =>
        disc(
          40 + 70 * i + 8 * wave(t, 1, scatter(i)),
          60 + 150 * scatter(i, 1),
          14 + 18 *
              scatter(i, 2),
          i % 2 ? '#b3541e' : '#8c3b2a',
          `opacity="${round(0.22 + 0.1 * wave(t, 2, scatter(i, 3)))}"
          filter="url(#far)"`,
        ))
    }
      ${disc(320, 150, 250 + 8 * flicker, 'url(#halo)')}
      <ellipse cx="320" cy="338" rx="210" ry="26" fill="#ff9a3c" opacity="${round(0.16 + 0.04 * flicker)}"/>
      <rect x="285" y="190" width="70" height="150" rx="8" fill="url(#wax)"/>
      <ellipse cx="320" cy="192" rx="35" ry="9" fill="#ffe6bd"/>
      <path d="M320,190 L${round(320 + lean / 4)},172" stroke="#3a2216" stroke-width="3"/>
      ${disc(320 + lean / 2, 145, 62, 'url(#near)')}
      ${
      path(
        `M320,184 C292,164 306,132 ${round(320 + lean)},${round(tip)} C334,132 348,164 320,184 Z`,
        'url(#flame)',
        'filter="url(#soft)"',
      )
    }
      ${
      path(
        `M320,182 C309,170 314,154 ${round(320 + lean / 2)},140 C326,154 331,170 320,182 Z`,
        '#fffbe6',
        'opacity="0.85"',
      )
    }`;
  },

  seaside: (t) =>
    `<defs>${down('sky', '#2b1b4d', '#8a3b6b', '#f0745a', '#ffc27a')}${glow('halo', '#ffe0a0', 0.9)}
    ${down('sea', '#e0785c', '#5a2f5e', '#1e1638')}${blur('soft', 7)}</defs>
    ${backdrop('url(#sky)')}
    ${
      each(4, (i) =>
        `<ellipse cx="${round(80 + 170 * i + 26 * wave(t, 1, i / 4))}" cy="${50 + 24 * (i % 3)}"
      rx="${110 + 30 * (i % 2)}" ry="9" fill="#ffb199" opacity="0.35" filter="url(#soft)"/>`)
    }
    ${disc(320, 196, 170 + 5 * wave(t, 1), 'url(#halo)')}${disc(320, 200, 46, '#fff0c4')}
    <rect y="206" width="${WIDTH}" height="154" fill="url(#sea)"/>
    ${
      each(11, (i) => {
        const y = 214 + 12 * i;
        const half = 26 + 6.5 * i + 9 * wave(t, 1 + (i % 3), scatter(i));
        return `<rect x="${round(320 - half + 5 * wave(t, 1, scatter(i, 1)))}" y="${y}" width="${
          round(
            2 *
              half,
          )
        }"
        height="${round(3 + i / 4)}" rx="2" fill="#ffd9a0" opacity="${round(0.6 - 0.04 * i)}"/>`;
      })
    }
    ${path(swell(t, 300, 7, 2, 0, 1), '#3a2350', 'opacity="0.55"')}${
      path(swell(t, 330, 8, 3, 0.4, -1), '#1a1230', 'opacity="0.8"')
    }`,

  lanterns: (t) =>
    `<defs>${down('sky', '#0b1030', '#2a1c4f', '#6a2f5a', '#c4603f')}
    ${down('paper', '#ffd98a', '#ff9d45', '#d4562a')}${glow('halo', '#ffb25a', 0.55)}${
      blur('far', 1.6)
    }</defs>
    ${backdrop('url(#sky)')}
    ${
      each(40, (i) =>
        disc(
          WIDTH * scatter(i),
          190 * scatter(i, 1),
          0.7 + scatter(i, 2),
          '#fff3d6',
          `opacity="${round(0.5 + 0.4 * wave(t, 1 + (i % 3), scatter(i, 3)))}"`,
        ))
    }
    ${
      each(14, (i) => {
        const size = 0.35 + 0.75 * (i / 13);
        const rise = (scatter(i, 1) + t) % 1;
        const x = WIDTH * ((i * 0.382 + 0.1) % 1) + 12 * wave(t, 1, scatter(i));
        const y = HEIGHT + 60 - rise * (HEIGHT + 130);
        return `<g transform="translate(${round(x)} ${round(y)}) scale(${round(size)}) rotate(${
          round(
            3 *
              wave(t, 1, scatter(i, 4)),
          )
        })"
        ${i < 6 ? 'filter="url(#far)"' : ''}>${disc(0, 0, 70, 'url(#halo)')}
        <path d="M-20,-30 Q0,-38 20,-30 Q30,0 18,28 L-18,28 Q-30,0 -20,-30 Z" fill="url(#paper)"/>
        <ellipse cx="0" cy="27" rx="17" ry="4" fill="#fff2c2"/></g>`;
      })
    }
    ${path(swell(0, 338, 12, 2, 0.1, 0), '#1a1030')}`,

  silk: (t) =>
    `<defs>${down('room', '#3a0f2e', '#6d1c46', '#2a0a26')}
    ${
      each(7, (i) =>
        `<linearGradient id="s${i}" x1="0" y1="0" x2="1" y2="1">${
          stops(
            ['#ff8fa8', '#ffb38a', '#e8618c', '#ffc9a3', '#c23b74', '#ff9f9f', '#8f2462'][i],
            ['#c23b74', '#e8618c', '#7a1d56', '#d4567e', '#4d1040', '#a52c68', '#3a0c34'][i],
          )
        }</linearGradient>`)
    }
    ${glow('light', '#ffd9c0', 0.4)}${blur('soft', 1.2)}</defs>
    ${backdrop('url(#room)')}${disc(470 + 30 * wave(t), 70, 260, 'url(#light)')}
    ${
      each(7, (i) =>
        path(
          swell(
            t,
            70 + 44 * i,
            26 + 5 * wave(t, 1, i / 7),
            1 + (i % 2) * 0.5,
            i * 0.23,
            i %
              2
              ? 1
              : -1,
          ),
          `url(#s${i})`,
          `opacity="${round(0.82 - 0.03 * i)}" filter="url(#soft)"`,
        ))
    }`,

  aurora: (t) =>
    `<defs>${down('sky', '#050b22', '#0d2140', '#1d3a55')}${down('veil', '#7cffcb', '#36c9a0', '#1d3a55')}
    ${down('violet', '#d59bff', '#7a5cd6', '#1d3a55')}${blur('soft', 14)}</defs>
    ${backdrop('url(#sky)')}
    ${
      each(60, (i) =>
        disc(
          WIDTH * scatter(i),
          250 * scatter(i, 1),
          0.6 + 0.9 * scatter(i, 2),
          '#eaf6ff',
          `opacity="${round(0.5 + 0.35 * wave(t, 1 + (i % 4), scatter(i, 3)))}"`,
        ))
    }
    ${
      each(9, (i) => {
        const x = 20 + 75 * i + 30 * wave(t, 1, i / 9);
        const top = 40 + 26 * wave(t, 1, i / 5);
        const shade = i % 3 === 1 ? 'url(#violet)' : 'url(#veil)';
        return path(
          `M${round(x - 44)},${round(top)} Q${round(x + 20 * wave(t, 2, i / 4))},${round(top - 34)}
        ${round(x + 52)},${round(top + 8)}
        L${round(x + 26)},292 L${round(x - 26)},292 Z`,
          shade,
          `opacity="${round(0.34 + 0.14 * wave(t, 2, i / 3))}" filter="url(#soft)"`,
        );
      })
    }
    ${path(swell(0, 285, 24, 1.5, 0.2, 0), '#0c1a2b')}${path(swell(0, 318, 16, 2.5, 0.6, 0), '#060d18')}
    ${
      each(16, (i) =>
        path(
          `M${20 + 42 * i},${340 - 4 * (i % 3)} l9,-${34 + (i * 7) % 22} l9,${
            34 + (i * 7) %
              22
          } Z`,
          '#04080f',
        ))
    }`,

  lavalamp: (t) =>
    `<defs>${down('room', '#1b0b2e', '#3a1140', '#150820')}${down('liquid', '#ff7b54', '#e0356b', '#7a1b7a')}
    ${glow('halo', '#ff5d8f', 0.5)}<filter id="goo"><feGaussianBlur stdDeviation="9"/>
    <feColorMatrix values="1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 20 -8"/></filter>
    <clipPath id="glass"><path d="M262,20 L378,20 L412,300 L228,300 Z"/></clipPath></defs>
    ${backdrop('url(#room)')}${disc(320, 170, 270 + 6 * wave(t), 'url(#halo)')}
    ${path('M262,20 L378,20 L412,300 L228,300 Z', 'url(#liquid)')}
    <g clip-path="url(#glass)"><g filter="url(#goo)">${
      each(9, (i) => {
        const y = 165 + 135 * wave(t, 1, scatter(i)) * (0.6 + 0.4 * scatter(i, 1));
        return disc(
          320 + 46 * wave(t, 1, scatter(i, 2)) * (0.5 + 0.5 * scatter(i, 3)),
          y,
          15 + 17 * scatter(i, 4),
          '#ffe08a',
        );
      })
    }<ellipse cx="320" cy="304" rx="92" ry="26" fill="#ffe08a"/><ellipse cx="320" cy="14" rx="56" ry="14"
      fill="#ffe08a"/></g></g>
    ${path('M228,300 L412,300 L392,346 L248,346 Z', '#2b1a33')}${
      path('M262,20 L378,20 L366,4 L274,4 Z', '#2b1a33')
    }
    ${path('M276,30 L292,30 L268,290 L246,290 Z', '#ffffff', 'opacity="0.13"')}`,

  evening: (t) =>
    `<defs>${down('wall', '#ffb27a', '#e0696a', '#6d2a5c')}${glow('lamp', '#fff2c8', 0.95)}
    ${blur('soft', 10)}${blur('edge', 1)}</defs>
    ${backdrop('url(#wall)')}
    ${
      each(10, (i) =>
        disc(
          WIDTH * ((i * 0.618) % 1) + 14 * wave(t, 1, scatter(i)),
          50 + 220 * scatter(i, 1),
          22 + 26 * scatter(i, 2),
          i % 3 ? '#ffd49a' : '#ff8a8a',
          `opacity="${round(0.3 + 0.1 * wave(t, 1, scatter(i, 3)))}" filter="url(#soft)"`,
        ))
    }
    ${disc(320, 150, 190 + 5 * wave(t, 2), 'url(#lamp)')}
    <g fill="#2a0f33" filter="url(#edge)">${bust(t, 320, 196, 1.16, KNOT)}</g>`,

  neon: (t) => {
    const pulse = 0.75 + 0.2 * wave(t, 2);
    return `<defs>${down('room', '#0c1030', '#2a1250', '#120a26')}${blur('bloom', 9)}${blur('edge', 0.8)}
      ${glow('fill', '#ff4fa3', 0.35)}</defs>
      ${backdrop('url(#room)')}
      ${
      each(5, (i) =>
        `<rect x="${60 + 130 * i}" y="0" width="3" height="${HEIGHT}" fill="#3fd0ff"
        opacity="${round(0.2 + 0.12 * wave(t, 1, i / 5))}" filter="url(#bloom)"/>`)
    }
      ${disc(320, 150, 220, 'url(#fill)')}
      <circle cx="320" cy="150" r="118" fill="none" stroke="#ff5fb0" stroke-width="16"
        opacity="${round(pulse)}" filter="url(#bloom)"/>
      <circle cx="320" cy="150" r="118" fill="none" stroke="#ffd1ea" stroke-width="4"/>
      <g fill="#0d0720" filter="url(#edge)">${bust((t + 0.5) % 1, 320, 200, 1.12, HEADPHONES)}</g>
      ${
      each(12, (i) =>
        disc(
          WIDTH * ((i * 0.382) % 1),
          (HEIGHT + 20) * ((scatter(i) + 1 - t) % 1) - 10,
          2 +
            2 * scatter(i, 1),
          i % 2 ? '#ff9ad1' : '#8fe9ff',
          `opacity="${round(0.4 + 0.3 * wave(t, 2, scatter(i, 2)))}"`,
        ))
    }`;
  },
};

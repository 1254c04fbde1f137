import type { MetadataRoute } from 'next';
import appleIcon from './_shell/icons/apple-icon.png';
import icon from './_shell/icons/icon.svg';
import { appColors } from './_shell/theme';

/** The web app manifest, in one text for all languages: browsers request it without cookies. */
export default function manifest(): MetadataRoute.Manifest {
  return {
    name: 'Floodgate',
    short_name: 'Floodgate',
    start_url: '/',
    display: 'standalone',
    background_color: appColors.background,
    theme_color: appColors.theme,
    icons: [
      { src: icon.src, sizes: 'any', type: 'image/svg+xml' },
      { src: appleIcon.src, sizes: '180x180', type: 'image/png' },
    ],
  };
}

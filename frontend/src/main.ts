import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/forced.css';
import './styles/print.css';
import './styles/prerendered.css';

/** A page in the background paints nothing. */
const LATEST = 100;

/** Once the prerendered picture is painted, the page itself begins. */
const painted = new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, LATEST);
});
void painted.then(() => import('./start'));

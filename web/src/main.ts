/** The page: the shared parts are made, the frame is put up, the connection begins. */

import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import { App } from "./app";
import { gate } from "./shell/gate";
import { shell } from "./shell/shell";

const app = new App();
app.socket.connect(); // while the frame is put up
document.body.append(shell(app), gate(app));
app.start();

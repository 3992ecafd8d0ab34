"""A multibody model in real time: its step as native jobs, its controller in another process; the page is robot.md."""

"""What steers a world's vehicle: devices of people, and how what they say becomes controls."""

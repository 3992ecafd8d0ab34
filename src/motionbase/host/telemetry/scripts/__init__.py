"""What runs beside a simulator: copy one file there. The Python scripts need nothing but Python."""
